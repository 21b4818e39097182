import type { Database, Transaction } from '../../storage/database.ts';
import { findLogin, findLoginOperatorIds, foldEmail, setPassword } from '../access/logins.ts';
import { isLowerLevel } from '../access/operator-callers.ts';
import { type OwnPassword, toHashTurn } from '../access/own-password.ts';
import { rejectCommonPassword } from '../access/password-rules.ts';
import type { Passwords } from '../access/passwords.ts';
import { type InstallationSecrets, isSameSecret } from '../access/secrets.ts';
import { endSessions, revokeSsoTokens } from '../access/tokens.ts';
import { requeueOperatorConversations } from '../engine/conversations/requeue.ts';
import { endUnservable } from '../engine/conversations/unservable.ts';
import { unassignMessagesLeft } from '../engine/records/message-left-store.ts';
import { routeQueueForOperator } from '../engine/routing/queue.ts';
import { announce, computeChanges } from '../events/announce.ts';
import { type AccountContext, type ActorContext, type Caller, type Commit, requireAdmin } from '../kernel/caller.ts';
import { CHANNELS } from '../kernel/channels.ts';
import { invalid, type Problem, unknownId } from '../kernel/errors.ts';
import { nextId } from '../kernel/ids.ts';
import { validate } from '../kernel/validate.ts';
import {
  applyUpdate,
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
  findRelation,
  requireCanCreate,
  requireCanDelete,
  requireCanRotateKey,
  requireCanUpdate,
} from '../operators/permissions.ts';
import { createTargetLookup } from '../operators/targets.ts';
import { deleteRepliesOf } from './canned-replies/canned-reply-store.ts';
import { isAdmin, requireAnotherAdmin, requireConsistentRoles, requireValidOperator } from './operator-checks.ts';
import { endUnusableLinks } from './password-links.ts';
import { deletePreferences } from './preferences.ts';
import { deleteProfile } from './profile.ts';

const PERSONAL_FIELDS = new Set(['name', 'firstName', 'pseudo', 'email', 'externalId', 'callConfig', 'ssoVersion']);

/** Fields that decide which queued conversations the operator can be offered. */
const ROUTING_FIELDS: ReadonlySet<string> = new Set<keyof Operator>([
  ...(['chatEnabled', 'callEnabled', 'videoEnabled', 'chatMaxNumber', 'chatAndCall', 'chatToVideo'] as const),
  ...(['languageList', 'groupId', 'websiteList', 'skillList'] as const),
]);

/** Fields that decide what the operator may do, and who may manage them. */
const PERMISSION_FIELDS: ReadonlySet<string> = new Set<keyof Operator>(['roles', 'groupId']);

const LOAD_BATCH_SIZE = 500;

export class OperatorService {
  readonly #database: Database;
  readonly #ownPassword: OwnPassword;
  readonly #passwords: Passwords;
  readonly #secrets: InstallationSecrets;
  readonly #query: OperatorQuery;

  constructor(services: {
    database: Database;
    ownPassword: OwnPassword;
    passwords: Passwords;
    secrets: InstallationSecrets;
    query: OperatorQuery;
  }) {
    this.#database = services.database;
    this.#ownPassword = services.ownPassword;
    this.#passwords = services.passwords;
    this.#secrets = services.secrets;
    this.#query = services.query;
  }

  deriveSsoKey(accountId: number, operator: Pick<Operator, 'id' | 'ssoVersion'>): string {
    return this.#secrets.deriveSsoKey(accountId, operator.id, operator.ssoVersion);
  }

  async create(commit: Commit<Operator>, caller: Caller, input: OperatorCreate): Promise<Operator> {
    requireCanCreate(caller, input);
    const passwordHash = await this.hashPassword(caller, input.password, input.email);
    return commit((tx) => this.createInTransaction(tx, caller, input, passwordHash));
  }

  /** Like `create`, in the caller's transaction and with a password that is already hashed. */
  async createInTransaction(
    tx: Transaction,
    caller: Caller,
    input: OperatorCreate,
    passwordHash: string | undefined,
    targets = createTargetLookup(tx, caller.accountId),
  ): Promise<Operator> {
    const { accountId } = caller;
    requireCanCreate(caller, input);
    requireConsistentRoles(input);
    const draft = withDefaults(input, input.websiteList ? [] : await targets.loadAllWebsiteIds());
    await requireValidOperator(tx, accountId, targets, draft);
    const operator: Operator = { ...draft, id: await nextId(tx, accountId, 'operator'), version: 1, ssoVersion: 1 };
    await insertOperator(tx, caller, operator, passwordHash ?? null);
    announce(tx, caller, 'operator.created', operator.id, computeChanges({}, draft, PERSONAL_FIELDS));
    return operator;
  }

  async update(commit: Commit<Operator>, caller: Caller, id: number, input: OperatorUpdate): Promise<Operator> {
    const passwordHash = input.password === undefined ? undefined : await this.#hashPasswordFor(caller, id, input);
    return commit(async (tx) => {
      const before = await requireOperator(tx, caller.accountId, id);
      return (await this.updateInTransaction(tx, caller, before, input, passwordHash)).operator;
    });
  }

  /** Checks permissions before the expensive hash; the transaction checks them again. */
  async #hashPasswordFor(caller: Caller, id: number, input: OperatorUpdate): Promise<string | undefined> {
    const existing = (await this.#query.load(caller.accountId, [id]))[0];
    if (!existing) throw unknownId('operator', id);
    requireCanUpdate(caller, existing, input);
    return this.hashPassword(caller, input.password, input.email ?? existing.email);
  }

  /** Like `update`, in the caller's transaction. An update without changes writes nothing. */
  async updateInTransaction(
    tx: Transaction,
    caller: Caller,
    before: Operator,
    input: OperatorUpdate,
    passwordHash: string | undefined,
    targets = createTargetLookup(tx, caller.accountId),
  ): Promise<{ operator: Operator; isChanged: boolean }> {
    const { accountId } = caller;
    const { id } = before;
    requireCanUpdate(caller, before, input);
    requireConsistentRoles(input);
    this.#requireReadOnlyUnchanged(accountId, before, input);
    const after = applyUpdate(before, input);
    const changes = computeChanges<Operator>(before, after, PERSONAL_FIELDS);
    if (changes.fields.length > 0) {
      await requireValidOperator(tx, accountId, targets, after, before);
      if (isAdmin(before) && !isAdmin(after)) await requireAnotherAdmin(tx, accountId, 'demoted');
      await updateOperator(tx, caller, before, { ...after, version: before.version + 1 });
    }
    if (passwordHash) await setPassword(tx, caller, id, passwordHash);
    // The pages of a higher role may be open. Bearer tokens keep working, with the new permissions.
    else if (isLowerLevel(after.roles, before.roles))
      await endSessions(tx, caller, { operatorId: id, reason: 'demoted' }, undefined);
    if (changes.fields.some((field) => PERMISSION_FIELDS.has(field))) await endUnusableLinks(tx, caller, id);
    const fields = passwordHash ? [...changes.fields, 'password'] : changes.fields;
    const isChanged = fields.length > 0;
    if (isChanged) announce(tx, caller, 'operator.updated', id, { ...changes, fields });
    if (changes.fields.some((field) => ROUTING_FIELDS.has(field)))
      await routeQueueForOperator(tx, caller, id, 'operator_changed');
    if (hasLostCoverage(before, after)) await endUnservable(tx, caller, before);
    return { operator: after, isChanged };
  }

  async delete(commit: Commit<Operator>, caller: Caller, id: number): Promise<Operator> {
    return commit(async (tx) => {
      const operator = await requireOperator(tx, caller.accountId, id);
      requireCanDelete(caller, operator);
      if (isAdmin(operator)) await requireAnotherAdmin(tx, caller.accountId, 'deleted');
      await requeueOperatorConversations(tx, caller, id);
      await unassignMessagesLeft(tx, caller, id);
      await deleteProfile(tx, caller, id);
      await deletePreferences(tx, caller, id);
      await deleteRepliesOf(tx, caller, { scope: 'own', id });
      await deleteOperator(tx, caller, operator);
      await endUnusableLinks(tx, caller, id);
      announce(tx, caller, 'operator.deleted', id);
      await endUnservable(tx, caller, operator);
      return operator;
    });
  }

  /**
   * Callers who change their own password must provide the current one; for other operators they need update
   * permission.
   */
  async changePassword(
    commit: Commit<Operator>,
    caller: Caller,
    id: number,
    { current, password }: { current?: string | undefined; password: string },
  ): Promise<Operator> {
    const existing = (await this.#query.load(caller.accountId, [id]))[0];
    if (!existing) throw unknownId('operator', id);
    validate(operatorUpdate, { password });
    const isSelf = findRelation(caller, existing) === 'self';
    if (!isSelf) requireCanUpdate(caller, existing, { password });
    if (isSelf) await this.#ownPassword.require(caller, id, current ?? '');
    const passwordHash = (await this.hashPassword(caller, password, existing.email)) as string;
    return commit(async (tx) => {
      const operator = await requireOperator(tx, caller.accountId, id);
      if (!isSelf) requireCanUpdate(caller, operator, { password });
      await setPassword(tx, caller, id, passwordHash);
      announce(tx, caller, 'operator.updated', id, { fields: ['password'], values: {} });
      return operator;
    });
  }

  /** Replaces the single sign-on key; the old one and its tokens are no longer accepted. */
  async rotateSsoKey(commit: Commit<Operator>, caller: Caller, id: number): Promise<Operator> {
    return commit(async (tx) => {
      const before = await requireOperator(tx, caller.accountId, id);
      requireCanRotateKey(caller, before);
      const after = { ...before, ssoVersion: before.ssoVersion + 1, version: before.version + 1 };
      await updateOperator(tx, caller, before, after);
      await revokeSsoTokens(tx, caller, id);
      announce(tx, caller, 'operator.updated', id, { fields: ['ssoKey'], values: {} });
      return after;
    });
  }

  /** Adds a skill to operators or removes it, all or nothing. */
  async setSkill<Skill extends { id: number }>(
    commit: Commit<Skill>,
    caller: Caller,
    skill: Skill,
    ids: readonly number[],
    hasSkill: boolean,
  ): Promise<Skill> {
    requireAdmin(caller);
    return commit(async (tx) => {
      for (const id of new Set(ids)) {
        const before = await requireOperator(tx, caller.accountId, id);
        const others = before.skillList.filter((skillId) => skillId !== skill.id);
        const after = applyUpdate(
          { ...before, version: before.version + 1 },
          { skillList: hasSkill ? [...others, skill.id] : others },
        );
        await requireValidOperator(tx, caller.accountId, createTargetLookup(tx, caller.accountId), after, before);
        await updateOperator(tx, caller, before, after);
        announce(
          tx,
          caller,
          'operator.updated',
          id,
          computeChanges<Pick<Operator, 'skillList'>>(before, { skillList: after.skillList }),
        );
        await routeQueueForOperator(tx, caller, id, 'operator_changed');
        if (hasLostCoverage(before, after)) await endUnservable(tx, caller, before);
      }
      return skill;
    });
  }

  /** Loads operators by external identifier. */
  async findByExternalIds(
    tx: Transaction,
    accountId: number,
    externalIds: readonly string[],
  ): Promise<Map<string, Operator>> {
    const operatorsByExternalId = new Map<string, Operator>();
    for (let start = 0; start < externalIds.length; start += LOAD_BATCH_SIZE) {
      const rows = await tx.db
        .selectFrom('operators')
        .select('id')
        .where('accountId', '=', accountId)
        .where('externalId', 'in', externalIds.slice(start, start + LOAD_BATCH_SIZE))
        .execute();
      const ids = rows.map((row) => row.id);
      for (const operator of await loadOperators(tx.db, accountId, ids)) {
        if (operator.externalId !== null) operatorsByExternalId.set(operator.externalId, operator);
      }
    }
    return operatorsByExternalId;
  }

  /** Loads operators of the account by folded e-mail. */
  async findByEmails(tx: Transaction, accountId: number, emails: readonly string[]): Promise<Map<string, Operator>> {
    const operatorsByEmail = new Map<string, Operator>();
    for (let start = 0; start < emails.length; start += LOAD_BATCH_SIZE) {
      const ids = await findLoginOperatorIds(tx, accountId, emails.slice(start, start + LOAD_BATCH_SIZE));
      for (const operator of await loadOperators(tx.db, accountId, ids)) {
        operatorsByEmail.set(foldEmail(operator.email), operator);
      }
    }
    return operatorsByEmail;
  }

  /** Finds the operator who logs in with this e-mail, across all accounts. */
  async findLogin(email: string): Promise<{ accountId: number; operatorId: number } | undefined> {
    const login = await findLogin(this.#database.read, email);
    return login && { accountId: login.accountId, operatorId: login.operatorId };
  }

  /** Slow: call it before the transaction. */
  async hashPassword(caller: ActorContext, password: string | undefined, email: string): Promise<string | undefined> {
    if (password === undefined) return undefined;
    await rejectCommonPassword(password, email);
    return this.#passwords.hash(password, toHashTurn(caller));
  }

  /** Like `hashPassword`, when no one else waits for a hash. Fails if the signal is aborted. */
  async hashImportedPassword(
    { accountId }: AccountContext,
    { password, email }: { password: string; email: string },
    signal: AbortSignal | undefined,
  ): Promise<string> {
    await rejectCommonPassword(password, email);
    return this.#passwords.hash(password, { priority: 'background', source: [`account ${accountId}`], signal });
  }

  #requireReadOnlyUnchanged(accountId: number, operator: Operator, input: OperatorUpdate): void {
    const problems: Problem[] = [];
    const addProblem = (name: string) =>
      problems.push({ path: [name], code: 'invalid', rule: 'is read-only: leave it out or repeat the current value' });
    if (input.id !== undefined && input.id !== operator.id) addProblem('id');
    if (
      input.ssoKey === null ||
      (input.ssoKey && !isSameSecret(input.ssoKey, this.deriveSsoKey(accountId, operator)))
    ) {
      addProblem('ssoKey');
    }
    if (problems.length > 0) throw invalid(problems);
  }
}

/** Whether there may be conversations that the operator could serve before and cannot serve now. */
function hasLostCoverage(before: Operator, after: Operator): boolean {
  const lists = ['websiteList', 'skillList', 'languageList'] as const;
  return (
    before.groupId !== after.groupId ||
    CHANNELS.some((channel) => before[`${channel}Enabled`] && !after[`${channel}Enabled`]) ||
    lists.some((list) => new Set<unknown>(before[list]).difference(new Set<unknown>(after[list])).size > 0)
  );
}
