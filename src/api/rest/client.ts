import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../core/caller.ts';
import { type IdFilter, idMatches } from '../../core/filters.ts';
import type { Account, Accounts } from '../../core/identity/accounts.ts';
import type { Page, Window } from '../../core/page.ts';
import { toWire } from './names.ts';
import type { Filters, Selection } from './query.ts';
import { type Resource, registerReads, renderObject } from './resource.ts';

/** The account itself: the only client that a key can see. */
class ClientResource implements Resource<Account> {
  readonly name = 'client';
  readonly filters = { id: { name: 'id', kind: 'id' } } as const;
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
    return accounts.map(({ id, lang, premiumEnabled }) =>
      renderObject('client', toWire({ id, lang, premiumEnabled }) as { id: number }, selection),
    );
  }
}

export function registerClient(app: FastifyInstance, accounts: Accounts): void {
  registerReads(app, new ClientResource(accounts));
}
