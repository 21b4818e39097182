import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { hotStatement } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { loginName } from '../access/login-limits.ts';
import type { ActorContext } from '../kernel/caller.ts';
import { unknownId } from '../kernel/errors.ts';
import { fold } from '../kernel/text.ts';
import { deleteLeases } from '../live/leases.ts';
import { changeSettings, createLive, deleteLive } from '../live/live-store.ts';
import type { NewOperator, Operator } from './operator.ts';

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

// An import runs these ten thousand times in one transaction.
const insertLogin = hotStatement<Row<'logins'>>((db, row) => db.insertInto('logins').values(row));
const insertRow = hotStatement<Row<'operators'>>((db, row) => db.insertInto('operators').values(row));
const insertWebsite = hotStatement<Row<'operatorWebsites'>>((db, row) => db.insertInto('operatorWebsites').values(row));
const insertSkill = hotStatement<Row<'operatorSkills'>>((db, row) => db.insertInto('operatorSkills').values(row));
const updateRow = hotStatement<Omit<Row<'operators'>, 'createdAt'>>((db, { accountId, id, ...columns }) =>
  db.updateTable('operators').set(columns).where('accountId', '=', accountId).where('id', '=', id),
);
const addToCount = (table: 'groups' | 'websites' | 'skills') =>
  hotStatement<{ accountId: number; id: number; by: number }>((db, { accountId, id, by }) =>
    db
      .updateTable(table as 'skills')
      .set((eb) => ({ operatorCount: eb('operatorCount', '+', by) }))
      .where('accountId', '=', accountId)
      .where('id', '=', id),
  );
const addToCountOf = { groups: addToCount('groups'), websites: addToCount('websites'), skills: addToCount('skills') };
const addToAccount = hotStatement<{ accountId: number; operators: number; admins: number }>(
  (db, { accountId, operators, admins }) =>
    db
      .updateTable('accounts')
      .set((eb) => ({
        operatorCount: eb('operatorCount', '+', operators),
        adminCount: eb('adminCount', '+', admins),
      }))
      .where('id', '=', accountId),
);

const SETTINGS = [
  ...(['chatEnabled', 'callEnabled', 'videoEnabled', 'chatMaxNumber', 'chatAndCall', 'chatToVideo'] as const),
  ...(['chatPriority', 'callPriority', 'videoPriority'] as const),
] as const;

function rowsOf(db: Kysely<Tables>) {
  return db
    .selectFrom('operators')
    .innerJoin('operatorLive as live', (join) =>
      join.onRef('live.accountId', '=', 'operators.accountId').onRef('live.operatorId', '=', 'operators.id'),
    )
    .selectAll('operators')
    .select(SETTINGS.map((name) => `live.${name}` as const));
}

/** Operators with these identifiers, newest first; those that do not exist are left out. */
export async function loadOperators(
  db: Kysely<Tables>,
  accountId: number,
  ids: readonly number[],
): Promise<Operator[]> {
  if (ids.length === 0) return [];
  const rows = await rowsOf(db)
    .where('operators.accountId', '=', accountId)
    .where('operators.id', 'in', ids)
    .orderBy('operators.id', 'desc')
    .execute();
  return rows.map(fromRow);
}

const findRow = hotStatement<{ accountId: number; id: number }, OperatorRow>((db, { accountId, id }) =>
  rowsOf(db).where('operators.accountId', '=', accountId).where('operators.id', '=', id),
);

export async function requireOperator(tx: Transaction, accountId: number, id: number): Promise<Operator> {
  const [row] = await tx.run(findRow, { accountId, id });
  if (!row) throw unknownId('operator', id);
  return fromRow(row);
}

export async function insertOperator(
  tx: Transaction,
  caller: ActorContext,
  operator: Operator,
  passwordHash: string | null,
): Promise<void> {
  const { accountId } = caller;
  const { id } = operator;
  await tx.run(insertLogin, { emailFolded: loginName(operator.email), accountId, operatorId: id, passwordHash });
  tx.send(insertRow, {
    accountId,
    id,
    version: operator.version,
    ssoVersion: operator.ssoVersion,
    createdAt: tx.now,
    ...columns(operator),
  });
  createLive(tx, caller, operator);
  await link(tx, accountId, id, operator);
  tx.send(addToAccount, { accountId, operators: 1, admins: operator.roles.includes('admin') ? 1 : 0 });
}

export async function updateOperator(
  tx: Transaction,
  caller: ActorContext,
  before: Operator,
  after: Operator,
): Promise<void> {
  const { accountId } = caller;
  const { id } = before;
  if (loginName(before.email) !== loginName(after.email)) {
    await tx.db
      .updateTable('logins')
      .set({ emailFolded: loginName(after.email) })
      .where('accountId', '=', accountId)
      .where('operatorId', '=', id)
      .execute();
  }
  tx.send(updateRow, { accountId, id, version: after.version, ssoVersion: after.ssoVersion, ...columns(after) });
  changeSettings(tx, caller, { operatorId: id, before, after });
  await unlink(tx, accountId, id, before, after);
  await link(tx, accountId, id, after, before);
  const wasAdmin = before.roles.includes('admin') ? 1 : 0;
  const isAdmin = after.roles.includes('admin') ? 1 : 0;
  if (wasAdmin !== isAdmin) tx.send(addToAccount, { accountId, operators: 0, admins: isAdmin - wasAdmin });
}

/** A new password ends every token that the old one gave. */
export async function setPassword(
  tx: Transaction,
  accountId: number,
  operatorId: number,
  passwordHash: string,
): Promise<void> {
  await tx.db
    .updateTable('logins')
    .set({ passwordHash })
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
  await tx.db
    .deleteFrom('accessTokens')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}

/** Takes away the operator and all that is only theirs. What they did stays: conversations, satisfaction, events. */
export async function deleteOperator(tx: Transaction, caller: ActorContext, operator: Operator): Promise<void> {
  const { accountId } = caller;
  const { id } = operator;
  await unlink(tx, accountId, id, operator);
  await deleteLive(tx, caller, id);
  await deleteLeases(tx, caller, id);
  for (const table of ['operatorProfiles', 'accessTokens', 'logins'] as const) {
    await tx.db.deleteFrom(table).where('accountId', '=', accountId).where('operatorId', '=', id).execute();
  }
  await tx.db.deleteFrom('operators').where('accountId', '=', accountId).where('id', '=', id).execute();
  tx.send(addToAccount, { accountId, operators: -1, admins: operator.roles.includes('admin') ? -1 : 0 });
}

type Memberships = Pick<Operator, 'groupId' | 'websiteList' | 'skillList'>;
const NONE: Memberships = { groupId: null, websiteList: [], skillList: [] };

/** Adds the memberships that `now` has and `before` had not; the counts that lists show are kept with them. */
async function link(
  tx: Transaction,
  accountId: number,
  operatorId: number,
  now: Memberships,
  before = NONE,
): Promise<void> {
  if (now.groupId !== null && now.groupId !== before.groupId)
    tx.send(addToCountOf.groups, { accountId, id: now.groupId, by: 1 });
  for (const websiteId of now.websiteList.filter((id) => !before.websiteList.includes(id))) {
    tx.send(insertWebsite, { accountId, websiteId, operatorId });
    tx.send(addToCountOf.websites, { accountId, id: websiteId, by: 1 });
  }
  for (const skillId of now.skillList.filter((id) => !before.skillList.includes(id))) {
    tx.send(insertSkill, { accountId, skillId, operatorId });
    tx.send(addToCountOf.skills, { accountId, id: skillId, by: 1 });
  }
}

async function unlink(
  tx: Transaction,
  accountId: number,
  operatorId: number,
  before: Memberships,
  now = NONE,
): Promise<void> {
  if (before.groupId !== null && now.groupId !== before.groupId) {
    tx.send(addToCountOf.groups, { accountId, id: before.groupId, by: -1 });
  }
  for (const websiteId of before.websiteList.filter((id) => !now.websiteList.includes(id))) {
    await tx.db
      .deleteFrom('operatorWebsites')
      .where('accountId', '=', accountId)
      .where('websiteId', '=', websiteId)
      .where('operatorId', '=', operatorId)
      .execute();
    tx.send(addToCountOf.websites, { accountId, id: websiteId, by: -1 });
  }
  for (const skillId of before.skillList.filter((id) => !now.skillList.includes(id))) {
    await tx.db
      .deleteFrom('operatorSkills')
      .where('accountId', '=', accountId)
      .where('skillId', '=', skillId)
      .where('operatorId', '=', operatorId)
      .execute();
    tx.send(addToCountOf.skills, { accountId, id: skillId, by: -1 });
  }
}

function columns(operator: NewOperator) {
  return {
    name: operator.name,
    nameFolded: fold(operator.name),
    firstName: operator.firstName,
    pseudo: operator.pseudo,
    email: operator.email,
    emailFolded: fold(operator.email),
    externalId: operator.externalId,
    externalIdFolded: operator.externalId === null ? null : fold(operator.externalId),
    roles: JSON.stringify(operator.roles),
    languageList: JSON.stringify(operator.languageList),
    languageAdmin: operator.languageAdmin,
    groupId: operator.groupId,
    websiteList: JSON.stringify(operator.websiteList),
    skillList: JSON.stringify(operator.skillList),
    callConfig: JSON.stringify(operator.callConfig),
  };
}

type OperatorRow = Selectable<Tables['operators']> & Pick<Row<'operatorLive'>, (typeof SETTINGS)[number]>;

function fromRow(row: OperatorRow): Operator {
  return {
    id: row.id,
    version: row.version,
    ssoVersion: row.ssoVersion,
    name: row.name,
    firstName: row.firstName,
    pseudo: row.pseudo,
    email: row.email,
    externalId: row.externalId,
    roles: JSON.parse(row.roles) as Operator['roles'],
    chatEnabled: row.chatEnabled === 1,
    callEnabled: row.callEnabled === 1,
    videoEnabled: row.videoEnabled === 1,
    chatMaxNumber: row.chatMaxNumber,
    chatAndCall: row.chatAndCall === 1,
    chatToVideo: row.chatToVideo === 1,
    chatPriority: row.chatPriority as 0 | 10,
    callPriority: row.callPriority as 0 | 10,
    videoPriority: row.videoPriority as 0 | 10,
    languageList: JSON.parse(row.languageList) as string[],
    languageAdmin: row.languageAdmin as Operator['languageAdmin'],
    groupId: row.groupId,
    websiteList: JSON.parse(row.websiteList) as number[],
    skillList: JSON.parse(row.skillList) as number[],
    callConfig: JSON.parse(row.callConfig) as Operator['callConfig'],
  };
}
