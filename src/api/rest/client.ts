import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Account, Accounts } from '../../core/access/accounts.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import { type IdFilter, idMatches } from '../../core/kernel/filters.ts';
import type { Page, Window } from '../../core/kernel/page.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { toWire } from './names.ts';
import type { Filters, Selection } from './query.ts';
import { type Resource, registerReads, renderObject } from './resource.ts';

export const CLIENT_FILTERS = { id: { name: 'id', kind: 'id' } } as const;

export const clientSchema = z
  .object({
    id: z.int().meta({ description: 'Client identifier.' }),
    lang: z.string().meta({ description: 'Language of the account.' }),
    premiumEnabled: z.boolean().meta({ description: 'Whether premium features are on.' }),
  })
  .meta({ id: 'Client', description: 'The account itself, the only client that a key can see.' });
type Client = z.output<typeof clientSchema>;

/** The account itself: the only client that a key can see. */
class ClientResource implements Resource<Account> {
  readonly name = 'client';
  readonly schema = clientSchema;
  readonly filters = CLIENT_FILTERS;
  readonly #accounts: Accounts;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  async page(caller: Caller, filters: Filters, window: Window): Promise<Page<Account>> {
    const own = await this.#accounts.find(caller.accountId);
    const rows = own && (!filters.id || idMatches(own.id, filters.id as IdFilter)) ? [own] : [];
    return { rows: rows.slice(window.offset, window.offset + window.limit), count: rows.length };
  }

  async find(caller: Caller, id: number): Promise<Account | undefined> {
    return id === caller.accountId ? this.#accounts.find(id) : undefined;
  }

  async render(_caller: Caller, accounts: readonly Account[], selection: Selection): Promise<string[]> {
    return accounts.map(({ id, lang, premiumEnabled }) => {
      const client: Client = { id, lang, premiumEnabled };
      return renderObject('client', toWire(client) as { id: number }, selection);
    });
  }
}

export function registerClient(app: FastifyInstance, accounts: Accounts, usage: RestUsage): void {
  registerReads(app, new ClientResource(accounts), usage);
}
