import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Account, Accounts } from '../../core/access/accounts.ts';
import { type IdFilter, matchesIdFilter } from '../../core/kernel/filters.ts';
import type { Window } from '../../core/kernel/page.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import type { Filters } from './query.ts';
import { createPlainResource, registerReads } from './resource.ts';

export const CLIENT_FILTERS = { id: { name: 'id', kind: 'id' } } as const;

export const clientSchema = z
  .object({
    id: z.int().meta({ description: 'Client identifier.' }),
    lang: z.string().meta({ description: 'Language of the account.' }),
    premiumEnabled: z.boolean().meta({ description: 'Whether premium features are enabled.' }),
  })
  .meta({ id: 'Client', description: 'The account of the API key, the only client that the key can see.' });

function toClient({ id, lang, premiumEnabled }: Account): z.output<typeof clientSchema> {
  return { id, lang, premiumEnabled };
}

export function registerClient(app: FastifyInstance, accounts: Accounts, usage: RestUsage): void {
  const definition = { name: 'client', schema: clientSchema, filters: CLIENT_FILTERS };
  const source = {
    page: async (accountId: number, filters: Filters, { offset, limit }: Window) => {
      const account = await accounts.find(accountId);
      const matching = account && (!filters.id || matchesIdFilter(account.id, filters.id as IdFilter)) ? [account] : [];
      return { rows: matching.slice(offset, offset + limit), count: matching.length };
    },
    find: async (accountId: number, id: number) => (id === accountId ? accounts.find(id) : undefined),
  };
  registerReads(app, createPlainResource(definition, source, toClient), usage);
}
