import type { Database, Transaction } from '../../storage/database.ts';
import type { LoginLimits } from '../access/login-limits.ts';
import { findLogin, passwordHashOf, setPassword } from '../access/logins.ts';
import { type Passwords, refuseCommonPassword } from '../access/passwords.ts';
import { type InstallationSecrets, sameSecret } from '../access/secrets.ts';
import { requeueConversationsOf } from '../engine/conversations/requeue.ts';
import { drainFor } from '../engine/routing/queue.ts';
import { announce, changesBetween } from '../events/announce.ts';
import { type Caller, type Commit, requireAdmin } from '../kernel/caller.ts';
import { invalid, invalidField, type Problem, unknownId } from '../kernel/errors.ts';
import { nextId } from '../kernel/ids.ts';
import { validate } from '../kernel/validate.ts';
import {
  changed,
  type Operator,
  type OperatorCreate,
  type OperatorUpdate,
  operatorUpdate,
  withDefaults,
} from '../operators/operator.ts';
import type { OperatorQuery } from '../operators/operator-query.ts';
import {
  deleteOperator,
  insertOperator,
  loadOperators,
  requireOperator,
  updateOperator,
} from '../operators/operator-store.ts';
import {
  relationTo,
  requireMayCreate,
  requireMayDelete,
  requireMayRotateKey,
  requireMayUpdate,
} from '../operators/permissions.ts';
import { targetsOf } from '../operators/targets.ts';
import { isAdmin, refuseDisagreeingRoles, refuseLastAdmin, requireSound } from './operator-checks.ts';
import { deleteProfile } from './profile.ts';

const PERSONAL = new Set(['name', 'firstName', 'pseudo', 'email', 'externalId', 'callConfig', 'ssoVersion']);

/** On what it depends whether somebody who waits can be served. */
const SERVES: ReadonlySet<string> = new Set<keyof Operator>([
  ...(['chatEnabled', 'callEnabled', 'videoEnabled', 'chatMaxNumber', 'chatAndCall', 'chatToVideo'] as const),
  ...(['languageList', 'groupId', 'websiteList', 'skillList'] as const),
]);

const LOADED_AT_ONCE = 500;

/** What one may change of operators. */
export class OperatorService {
  readonly #database: Database;
  readonly #limits: LoginLimits;
  readonly #passwords: Passwords;
  readonly #secrets: InstallationSecrets;
  readonly #query: OperatorQuery;

  constructor(parts: {
    database: Database;
    limits: LoginLimits;
    passwords: Passwords;
    secrets: InstallationSecrets;
    query: OperatorQuery;
  }) {
    this.#database = parts.database;
    this.#limits = parts.limits;
    this.#passwords = parts.passwords;
    this.#secrets = parts.secrets;
    this.#query = parts.query;
  }

  ssoKeyOf(accountId: number, operator: Pick<Operator, 'id' | 'ssoVersion'>): string {
    return this.#secrets.ssoKey(accountId, operator.id, operator.ssoVersion);
  }

  async create(commit: Commit<Operator>, caller: Caller, input: OperatorCreate): Promise<Operator> {
    requireMayCreate(caller, input);
    const passwordHash = await this.hashPassword(input.password, input.email);
    return commit((tx) => this.createWithin(tx, caller, input, passwordHash));
  }

  /** The part of a creation that belongs into a transaction; the password was hashed before. */
  async createWithin(
    tx: Transaction,
    caller: Caller,
    input: OperatorCreate,
    passwordHash: string | undefined,
    targets = targetsOf(tx, caller.accountId),
  ): Promise<Operator> {
    const { accountId } = caller;
    requireMayCreate(caller, input);
    refuseDisagreeingRoles(input);
    const draft = withDefaults(input, input.websiteList ? [] : await targets.allWebsites());
    await requireSound(tx, accountId, targets, draft);
    const operator: Operator = { ...draft, id: await nextId(tx, accountId, 'operator'), version: 1, ssoVersion: 1 };
    await insertOperator(tx, caller, operator, passwordHash ?? null);
    announce(tx, caller, 'operator.created', operator.id, changesBetween({}, draft, PERSONAL));
    return operator;
  }

  async update(commit: Commit<Operator>, caller: Caller, id: number, input: OperatorUpdate): Promise<Operator> {
    const passwordHash = input.password === undefined ? undefined : await this.#hashFor(caller, id, input);
    return commit(async (tx) => {
      const before = await requireOperator(tx, caller.accountId, id);
      return (await this.updateWithin(tx, caller, before, input, passwordHash)).operator;
    });
  }

  /** Whether it is allowed is looked at before the work of a hash, and again inside. */
  async #hashFor(caller: Caller, id: number, input: OperatorUpdate): Promise<string | undefined> {
    const present = (await this.#query.load(caller.accountId, [id]))[0];
    if (!present) throw unknownId('operator', id);
    requireMayUpdate(caller, present, input);
    return this.hashPassword(input.password, input.email ?? present.email);
  }

  /** The part of an update that belongs into a transaction. What changes nothing leaves no trace. */
  async updateWithin(
    tx: Transaction,
    caller: Caller,
    before: Operator,
    input: OperatorUpdate,
    passwordHash: string | undefined,
    targets = targetsOf(tx, caller.accountId),
  ): Promise<{ operator: Operator; isChanged: boolean }> {
    const { accountId } = caller;
    const { id } = before;
    requireMayUpdate(caller, before, input);
    refuseDisagreeingRoles(input);
    this.#refuseReadOnlyChange(accountId, before, input);
    const after = changed(before, input);
    const changes = changesBetween<Operator>(before, after, PERSONAL);
    if (changes.fields.length > 0) {
      await requireSound(tx, accountId, targets, after, before);
      if (isAdmin(before) && !isAdmin(after)) await refuseLastAdmin(tx, accountId, 'demoted');
      await updateOperator(tx, caller, before, { ...after, version: before.version + 1 });
    }
    if (passwordHash) await setPassword(tx, caller, id, passwordHash);
    const fields = passwordHash ? [...changes.fields, 'password'] : changes.fields;
    const isChanged = fields.length > 0;
    if (isChanged) announce(tx, caller, 'operator.updated', id, { ...changes, fields });
    if (changes.fields.some((field) => SERVES.has(field))) await drainFor(tx, caller, id, 'operator_changed');
    return { operator: after, isChanged };
  }

  async remove(commit: Commit<Operator>, caller: Caller, id: number): Promise<Operator> {
    return commit(async (tx) => {
      const operator = await requireOperator(tx, caller.accountId, id);
      requireMayDelete(caller, operator);
      if (isAdmin(operator)) await refuseLastAdmin(tx, caller.accountId, 'deleted');
      await requeueConversationsOf(tx, caller, id);
      await deleteProfile(tx, caller, id);
      await deleteOperator(tx, caller, operator);
      announce(tx, caller, 'operator.deleted', id);
      return operator;
    });
  }

  /**
   * A new password. One's own needs the present one; that of somebody else is the business of whoever may change them.
   */
  async changePassword(
    commit: Commit<Operator>,
    caller: Caller,
    id: number,
    { current, password }: { current?: string | undefined; password: string },
  ): Promise<Operator> {
    const present = (await this.#query.load(caller.accountId, [id]))[0];
    if (!present) throw unknownId('operator', id);
    validate(operatorUpdate, { password });
    const own = relationTo(caller, present) === 'self';
    if (!own) requireMayUpdate(caller, present, { password });
    if (own) {
      await this.#limits.admit(present.email); // a guess at a password, like a login
      if (!(await this.#isPassword(caller.accountId, id, current ?? ''))) {
        throw invalidField('currentPassword', 'must be the present password');
      }
    }
    const passwordHash = (await this.hashPassword(password, present.email)) as string;
    return commit(async (tx) => {
      const operator = await requireOperator(tx, caller.accountId, id);
      if (!own) requireMayUpdate(caller, operator, { password });
      await setPassword(tx, caller, id, passwordHash);
      announce(tx, caller, 'operator.updated', id, { fields: ['password'], values: {} });
      return operator;
    });
  }

  /** A new key for single sign-on; the old one is worth nothing from now on. */
  async rotateSsoKey(commit: Commit<Operator>, caller: Caller, id: number): Promise<Operator> {
    return commit(async (tx) => {
      const before = await requireOperator(tx, caller.accountId, id);
      requireMayRotateKey(caller, before);
      const after = { ...before, ssoVersion: before.ssoVersion + 1, version: before.version + 1 };
      await updateOperator(tx, caller, before, after);
      announce(tx, caller, 'operator.updated', id, { fields: ['ssoKey'], values: {} });
      return after;
    });
  }

  /** Gives a skill to operators or takes it from them, all or nothing. */
  async setSkill<Skill extends { id: number }>(
    commit: Commit<Skill>,
    caller: Caller,
    skill: Skill,
    ids: readonly number[],
    holds: boolean,
  ): Promise<Skill> {
    requireAdmin(caller);
    return commit(async (tx) => {
      for (const id of new Set(ids)) {
        const before = await requireOperator(tx, caller.accountId, id);
        const others = before.skillList.filter((held) => held !== skill.id);
        const after = changed(
          { ...before, version: before.version + 1 },
          { skillList: holds ? [...others, skill.id] : others },
        );
        await requireSound(tx, caller.accountId, targetsOf(tx, caller.accountId), after, before);
        await updateOperator(tx, caller, before, after);
        announce(
          tx,
          caller,
          'operator.updated',
          id,
          changesBetween<Pick<Operator, 'skillList'>>(before, { skillList: after.skillList }),
        );
        await drainFor(tx, caller, id, 'operator_changed');
      }
      return skill;
    });
  }

  /** Those who have one of these identifiers of the client, by it. */
  async withExternalIds(
    tx: Transaction,
    accountId: number,
    externalIds: readonly string[],
  ): Promise<Map<string, Operator>> {
    const found = new Map<string, Operator>();
    for (let start = 0; start < externalIds.length; start += LOADED_AT_ONCE) {
      const rows = await tx.db
        .selectFrom('operators')
        .select('id')
        .where('accountId', '=', accountId)
        .where('externalId', 'in', externalIds.slice(start, start + LOADED_AT_ONCE))
        .execute();
      const ids = rows.map((row) => row.id);
      for (const operator of await loadOperators(tx.db, accountId, ids)) {
        if (operator.externalId !== null) found.set(operator.externalId, operator);
      }
    }
    return found;
  }

  /** Whose login an e-mail is, on the whole platform. */
  async findLogin(email: string): Promise<{ accountId: number; operatorId: number } | undefined> {
    const login = await findLogin(this.#database.read, email);
    return login && { accountId: login.accountId, operatorId: login.operatorId };
  }

  async #isPassword(accountId: number, operatorId: number, password: string): Promise<boolean> {
    const hash = await passwordHashOf(this.#database.read, { accountId, operatorId });
    return this.#passwords.verify(password, hash);
  }

  /** Slow, so it comes before the transaction. */
  async hashPassword(password: string | undefined, email: string): Promise<string | undefined> {
    if (password === undefined) return undefined;
    await refuseCommonPassword(password, email);
    return this.#passwords.hash(password);
  }

  #refuseReadOnlyChange(accountId: number, operator: Operator, input: OperatorUpdate): void {
    const problems: Problem[] = [];
    const refuse = (name: string) =>
      problems.push({ path: [name], code: 'invalid', rule: 'is read-only: leave it out or repeat the present value' });
    if (input.id !== undefined && input.id !== operator.id) refuse('id');
    if (input.ssoKey === null || (input.ssoKey && !sameSecret(input.ssoKey, this.ssoKeyOf(accountId, operator)))) {
      refuse('ssoKey');
    }
    if (problems.length > 0) throw invalid(problems);
  }
}
