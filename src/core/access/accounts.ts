import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Actor, Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { announce, computeChanges } from '../events/announce.ts';
import { type AccountContext, type Caller, type Commit, requireAdmin, SYSTEM } from '../kernel/caller.ts';
import { invalidField } from '../kernel/errors.ts';
import { attachmentKinds } from '../kernel/file-kinds.ts';
import { nextId } from '../kernel/ids.ts';
import { ROLES, type Role } from '../kernel/roles.ts';
import { requiredText } from '../kernel/text.ts';
import { type RoutingSettings, routingSettingsSchema, toRoutingSettings } from './account-settings.ts';
import {
  DESK_COLUMNS,
  type DeskSettings,
  deskSettingsSchema,
  loadDeskSettings,
  toDeskColumns,
  toDeskSettings,
} from './desk-settings.ts';
import { signOnUrl } from './sign-on-url.ts';

/** One customer of the platform. */
export interface Account extends RoutingSettings, DeskSettings {
  readonly id: number;
  readonly name: string;
  readonly lang: string;
  readonly premiumEnabled: boolean;
  /** Media types that were added to the usual ones. */
  readonly attachmentKinds: readonly string[];
  /** Operators with one of these roles must use two-factor authentication. */
  readonly twoFactorRequired: readonly Role[];
  /** The page of the account's own sign-on. */
  readonly signOnUrl: string | null;
}

const ROLES_RULE = `must be a list of ${ROLES.join(', ')}`;
const twoFactorRequired = z
  .array(z.enum(ROLES, { error: ROLES_RULE }), { error: ROLES_RULE })
  .transform((roles) => ROLES.filter((role) => roles.includes(role)))
  .meta({
    description:
      'Operators with one of these roles must use two-factor authentication when they log in by password. Those who have not set it up can do nothing else until they have.',
  });

/** The fields that admins can change. */
export const accountUpdate = routingSettingsSchema
  .extend(deskSettingsSchema.shape)
  .extend({ name: requiredText(255).meta({ description: 'Name.' }), attachmentKinds, twoFactorRequired, signOnUrl })
  .partial();
export type AccountUpdate = z.output<typeof accountUpdate>;

export interface LoginOptions {
  /** Null if the installation has several accounts: their names are not public. */
  readonly accountName: string | null;
  readonly signOnUrl: string | null;
}

/** Account identifiers are allocated under this pseudo-account. */
export const PLATFORM_ACCOUNT_ID = 0;

export class Accounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(tx: Transaction, name: string, actor: Actor = SYSTEM): Promise<Pick<Account, 'id' | 'name'>> {
    if (name.trim() === '') throw invalidField('name', 'must not be empty');
    const account = { id: await nextId(tx, PLATFORM_ACCOUNT_ID, 'account'), name, lang: 'en', premiumEnabled: false };
    await tx.db
      .insertInto('accounts')
      .values({ ...account, premiumEnabled: 0, createdAt: tx.now, eventPosition: 0, operatorCount: 0, adminCount: 0 })
      .execute();
    announce(tx, { accountId: account.id, actor }, 'account.created', account.id, computeChanges({}, account));
    return account;
  }

  async update(commit: Commit<Account>, caller: Caller, input: AccountUpdate): Promise<Account> {
    requireAdmin(caller);
    if (input.name?.trim() === '') throw invalidField('name', 'must not be empty');
    return commit(async (tx) => {
      const { accountId } = caller;
      const row = await tx.db
        .selectFrom('accounts')
        .select(COLUMNS)
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      const before = toAccount(row);
      const definedInput = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      const account: Account = { ...before, ...definedInput };
      const changes = computeChanges(before, account);
      if (changes.fields.length === 0) return account;
      const { name, offerSeconds, queueLimit, idleMinutes, signOnUrl } = account;
      const [autoAccept, lowestPriorityFirst] = [Number(account.autoAccept), Number(account.lowestPriorityFirst)];
      const kinds = JSON.stringify(account.attachmentKinds);
      await tx.db
        .updateTable('accounts')
        .set({ name, offerSeconds, queueLimit, idleMinutes, autoAccept, lowestPriorityFirst, signOnUrl })
        .set(toDeskColumns(account))
        .set({ attachmentKinds: kinds, twoFactorRequired: JSON.stringify(account.twoFactorRequired) })
        .where('id', '=', accountId)
        .execute();
      announce(tx, caller, 'account.updated', accountId, changes);
      return account;
    });
  }

  async find(id: number): Promise<Account | undefined> {
    return (await this.#selectAccounts().where('id', '=', id).execute()).map(toAccount)[0];
  }

  loadDeskSettings(id: number): Promise<DeskSettings> {
    return loadDeskSettings(this.#database, id);
  }

  /** What the log-in page shows: the account of an installation that has only one, or the account of this id. */
  async findLoginOptions(id: number | undefined): Promise<LoginOptions> {
    const [first, second] = await this.#selectAccounts().orderBy('id').limit(2).execute();
    const only = second === undefined ? first : undefined;
    const account = id === undefined ? only : await this.find(id);
    return { accountName: only?.name ?? null, signOnUrl: account?.signOnUrl ?? null };
  }

  async list(): Promise<Account[]> {
    return (await this.#selectAccounts().orderBy('id').execute()).map(toAccount);
  }

  /** Whether the database has no account yet. */
  async isEmpty(tx: Transaction): Promise<boolean> {
    return (await tx.db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) === undefined;
  }

  #selectAccounts() {
    return this.#database.read.selectFrom('accounts').select(COLUMNS);
  }
}

const adjustCounts = prepare<{ accountId: number; operators: number; admins: number }>(
  (db, { accountId, operators, admins }) =>
    db
      .updateTable('accounts')
      .set((eb) => ({
        operatorCount: eb('operatorCount', '+', operators),
        adminCount: eb('adminCount', '+', admins),
      }))
      .where('id', '=', accountId),
);

/** Updates the counts of operators, and of admins among them. */
export function adjustOperatorCounts(
  tx: Transaction,
  { accountId }: AccountContext,
  deltas: { operators: number; admins: number },
): void {
  tx.send(adjustCounts, { accountId, ...deltas });
}

const COLUMNS = [
  ...(['id', 'name', 'lang', 'premiumEnabled', 'attachmentKinds', 'twoFactorRequired', 'signOnUrl'] as const),
  ...(['autoAccept', 'offerSeconds', 'queueLimit', 'lowestPriorityFirst', 'idleMinutes'] as const),
  ...DESK_COLUMNS,
];

function toAccount(row: Pick<Selectable<Tables['accounts']>, (typeof COLUMNS)[number]>): Account {
  const { id, name, lang, premiumEnabled, signOnUrl } = row;
  const kinds = JSON.parse(row.attachmentKinds) as string[];
  return {
    id,
    name,
    lang,
    premiumEnabled: premiumEnabled === 1,
    attachmentKinds: kinds,
    twoFactorRequired: JSON.parse(row.twoFactorRequired) as Role[],
    signOnUrl,
    ...toRoutingSettings(row),
    ...toDeskSettings(row),
  };
}
