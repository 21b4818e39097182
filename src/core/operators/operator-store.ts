import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { unknownId } from '../errors.ts';
import { loginName } from '../identity/login-limits.ts';
import { fold } from '../text.ts';
import type { NewOperator, Operator } from './operator.ts';

/** Operators with these identifiers, newest first; those that do not exist are left out. */
export async function loadOperators(
  db: Kysely<Tables>,
  accountId: number,
  ids: readonly number[],
): Promise<Operator[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('operators')
    .innerJoin('operatorLive as live', (join) =>
      join.onRef('live.accountId', '=', 'operators.accountId').onRef('live.operatorId', '=', 'operators.id'),
    )
    .selectAll('operators')
    .select([
      'live.chatEnabled',
      'live.callEnabled',
      'live.videoEnabled',
      'live.chatMaxNumber',
      'live.chatAndCall',
      'live.chatToVideo',
      'live.chatPriority',
      'live.callPriority',
      'live.videoPriority',
    ])
    .where('operators.accountId', '=', accountId)
    .where('operators.id', 'in', ids)
    .orderBy('operators.id', 'desc')
    .execute();
  return rows.map(fromRow);
}

export async function requireOperator(tx: Transaction, accountId: number, id: number): Promise<Operator> {
  const [operator] = await loadOperators(tx.db, accountId, [id]);
  if (!operator) throw unknownId('operator', id);
  return operator;
}

export async function insertOperator(
  tx: Transaction,
  accountId: number,
  operator: Operator,
  passwordHash: string | null,
): Promise<void> {
  const { id } = operator;
  await tx.db
    .insertInto('logins')
    .values({ emailFolded: loginName(operator.email), accountId, operatorId: id, passwordHash })
    .execute();
  await tx.db
    .insertInto('operators')
    .values({
      accountId,
      id,
      version: operator.version,
      ssoVersion: operator.ssoVersion,
      createdAt: tx.now,
      ...columns(operator),
    })
    .execute();
  await tx.db
    .insertInto('operatorLive')
    .values({
      accountId,
      operatorId: id,
      version: 1,
      leaseUntil: 0,
      firstLoginAt: null,
      chatAvailable: 0,
      callAvailable: 0,
      videoAvailable: 0,
      chatSlots: 0,
      callSlots: 0,
      videoSlots: 0,
      ...liveColumns(operator),
    })
    .execute();
  await link(tx, accountId, id, operator);
  await count(tx, accountId, { operators: 1, admins: operator.roles.includes('admin') ? 1 : 0 });
}

export async function updateOperator(
  tx: Transaction,
  accountId: number,
  before: Operator,
  after: Operator,
): Promise<void> {
  const { id } = before;
  if (loginName(before.email) !== loginName(after.email)) {
    await tx.db
      .updateTable('logins')
      .set({ emailFolded: loginName(after.email) })
      .where('accountId', '=', accountId)
      .where('operatorId', '=', id)
      .execute();
  }
  await tx.db
    .updateTable('operators')
    .set({ version: after.version, ssoVersion: after.ssoVersion, ...columns(after) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute();
  await tx.db
    .updateTable('operatorLive')
    .set((eb) => ({ version: eb('version', '+', 1), ...liveColumns(after) }))
    .where('accountId', '=', accountId)
    .where('operatorId', '=', id)
    .execute();
  await unlink(tx, accountId, id, before, after);
  await link(tx, accountId, id, after, before);
  const wasAdmin = before.roles.includes('admin') ? 1 : 0;
  const isAdmin = after.roles.includes('admin') ? 1 : 0;
  if (wasAdmin !== isAdmin) await count(tx, accountId, { operators: 0, admins: isAdmin - wasAdmin });
}

/** Takes away the operator and all that is only theirs. What they did stays: conversations, satisfaction, events. */
export async function deleteOperator(tx: Transaction, accountId: number, operator: Operator): Promise<void> {
  const { id } = operator;
  await unlink(tx, accountId, id, operator);
  for (const table of ['operatorLive', 'operatorLeases', 'operatorProfiles', 'accessTokens', 'logins'] as const) {
    await tx.db.deleteFrom(table).where('accountId', '=', accountId).where('operatorId', '=', id).execute();
  }
  await tx.db.deleteFrom('operators').where('accountId', '=', accountId).where('id', '=', id).execute();
  await count(tx, accountId, { operators: -1, admins: operator.roles.includes('admin') ? -1 : 0 });
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
    await countMember(tx, 'groups', accountId, now.groupId, 1);
  for (const websiteId of now.websiteList.filter((id) => !before.websiteList.includes(id))) {
    await tx.db.insertInto('operatorWebsites').values({ accountId, websiteId, operatorId }).execute();
    await countMember(tx, 'websites', accountId, websiteId, 1);
  }
  for (const skillId of now.skillList.filter((id) => !before.skillList.includes(id))) {
    await tx.db.insertInto('operatorSkills').values({ accountId, skillId, operatorId }).execute();
    await countMember(tx, 'skills', accountId, skillId, 1);
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
    await countMember(tx, 'groups', accountId, before.groupId, -1);
  }
  for (const websiteId of before.websiteList.filter((id) => !now.websiteList.includes(id))) {
    await tx.db
      .deleteFrom('operatorWebsites')
      .where('accountId', '=', accountId)
      .where('websiteId', '=', websiteId)
      .where('operatorId', '=', operatorId)
      .execute();
    await countMember(tx, 'websites', accountId, websiteId, -1);
  }
  for (const skillId of before.skillList.filter((id) => !now.skillList.includes(id))) {
    await tx.db
      .deleteFrom('operatorSkills')
      .where('accountId', '=', accountId)
      .where('skillId', '=', skillId)
      .where('operatorId', '=', operatorId)
      .execute();
    await countMember(tx, 'skills', accountId, skillId, -1);
  }
}

async function countMember(
  tx: Transaction,
  table: 'groups' | 'websites' | 'skills',
  accountId: number,
  id: number,
  by: number,
): Promise<void> {
  await tx.db
    .updateTable(table as 'skills')
    .set((eb) => ({ operatorCount: eb('operatorCount', '+', by) }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute();
}

async function count(tx: Transaction, accountId: number, by: { operators: number; admins: number }): Promise<void> {
  await tx.db
    .updateTable('accounts')
    .set((eb) => ({
      operatorCount: eb('operatorCount', '+', by.operators),
      adminCount: eb('adminCount', '+', by.admins),
    }))
    .where('id', '=', accountId)
    .execute();
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

function liveColumns(operator: NewOperator) {
  return {
    namedOnly: operator.groupId !== null || operator.skillList.length > 0 ? 1 : 0,
    chatEnabled: Number(operator.chatEnabled),
    callEnabled: Number(operator.callEnabled),
    videoEnabled: Number(operator.videoEnabled),
    chatMaxNumber: operator.chatMaxNumber,
    chatAndCall: Number(operator.chatAndCall),
    chatToVideo: Number(operator.chatToVideo),
    chatPriority: operator.chatPriority,
    callPriority: operator.callPriority,
    videoPriority: operator.videoPriority,
  };
}

type Settings =
  | 'chatEnabled'
  | 'callEnabled'
  | 'videoEnabled'
  | 'chatMaxNumber'
  | 'chatAndCall'
  | 'chatToVideo'
  | 'chatPriority'
  | 'callPriority'
  | 'videoPriority';

function fromRow(row: Selectable<Tables['operators']> & Pick<Selectable<Tables['operatorLive']>, Settings>): Operator {
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
