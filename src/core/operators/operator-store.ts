import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { adjustOperatorCounts } from '../access/accounts.ts';
import { addLogin, changeLoginEmail, deleteLogin, foldEmail } from '../access/logins.ts';
import { adjustNodeOperatorCount } from '../directory/tree-store.ts';
import { adjustWebsiteOperatorCount } from '../directory/website-store.ts';
import type { ActorContext } from '../kernel/caller.ts';
import { unknownId } from '../kernel/errors.ts';
import { fold } from '../kernel/text.ts';
import { deleteLeases } from '../live/leases.ts';
import { createLive, deleteLive, liveFact, updateLiveSettings } from '../live/live-store.ts';
import type { NewOperator, Operator } from './operator.ts';

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

// Prepared: an import runs these ten thousand times in one transaction.
const insertRow = prepare<Row<'operators'>>((db, row) => db.insertInto('operators').values(row));
const insertWebsite = prepare<Row<'operatorWebsites'>>((db, row) => db.insertInto('operatorWebsites').values(row));
const insertSkill = prepare<Row<'operatorSkills'>>((db, row) => db.insertInto('operatorSkills').values(row));
const updateRow = prepare<Omit<Row<'operators'>, 'createdAt'>>((db, { accountId, id, ...columns }) =>
  db.updateTable('operators').set(columns).where('accountId', '=', accountId).where('id', '=', id),
);

const SETTINGS = [
  ...(['chatEnabled', 'callEnabled', 'videoEnabled', 'chatMaxNumber', 'chatAndCall', 'chatToVideo'] as const),
  ...(['chatPriority', 'callPriority', 'videoPriority'] as const),
] as const;

function selectRows(db: Kysely<Tables>) {
  return db
    .selectFrom('operators')
    .innerJoin('operatorLive as live', (join) =>
      join.onRef('live.accountId', '=', 'operators.accountId').onRef('live.operatorId', '=', 'operators.id'),
    )
    .selectAll('operators')
    .select(SETTINGS.map((name) => `live.${name}` as const));
}

/** Newest first; unknown ids are omitted. */
export async function loadOperators(
  db: Kysely<Tables>,
  accountId: number,
  ids: readonly number[],
): Promise<Operator[]> {
  if (ids.length === 0) return [];
  const rows = await selectRows(db)
    .where('operators.accountId', '=', accountId)
    .where('operators.id', 'in', ids)
    .orderBy('operators.id', 'desc')
    .execute();
  return rows.map(toOperator);
}

const findRow = prepare<{ accountId: number; id: number }, OperatorRow>(
  (db, { accountId, id }) => selectRows(db).where('operators.accountId', '=', accountId).where('operators.id', '=', id),
  { reads: ({ id }) => [liveFact(id)] },
);

export async function requireOperator(tx: Transaction, accountId: number, id: number): Promise<Operator> {
  const [row] = await tx.run(findRow, { accountId, id });
  if (!row) throw unknownId('operator', id);
  return toOperator(row);
}

export async function insertOperator(
  tx: Transaction,
  context: ActorContext,
  operator: Operator,
  passwordHash: string | null,
): Promise<void> {
  const { accountId } = context;
  const { id } = operator;
  await addLogin(tx, context, operator, passwordHash);
  tx.send(insertRow, {
    accountId,
    id,
    version: operator.version,
    ssoVersion: operator.ssoVersion,
    createdAt: tx.now,
    ...toColumns(operator),
  });
  createLive(tx, context, operator);
  await addMemberships(tx, context, id, operator);
  adjustOperatorCounts(tx, context, { operators: 1, admins: operator.roles.includes('admin') ? 1 : 0 });
}

export async function updateOperator(
  tx: Transaction,
  context: ActorContext,
  before: Operator,
  after: Operator,
): Promise<void> {
  const { accountId } = context;
  const { id } = before;
  if (foldEmail(before.email) !== foldEmail(after.email)) {
    await changeLoginEmail(tx, context, after);
  }
  tx.send(updateRow, { accountId, id, version: after.version, ssoVersion: after.ssoVersion, ...toColumns(after) });
  updateLiveSettings(tx, context, { operatorId: id, before, after });
  await removeMemberships(tx, context, id, before, after);
  await addMemberships(tx, context, id, after, before);
  const wasAdmin = before.roles.includes('admin') ? 1 : 0;
  const isAdmin = after.roles.includes('admin') ? 1 : 0;
  if (wasAdmin !== isAdmin) adjustOperatorCounts(tx, context, { operators: 0, admins: isAdmin - wasAdmin });
}

/** Deletes the operator and their login, leases and memberships. Conversations, surveys and events stay. */
export async function deleteOperator(tx: Transaction, context: ActorContext, operator: Operator): Promise<void> {
  const { accountId } = context;
  const { id } = operator;
  await removeMemberships(tx, context, id, operator);
  await deleteLive(tx, context, id);
  await deleteLeases(tx, context, id);
  await deleteLogin(tx, context, id);
  await tx.db.deleteFrom('operators').where('accountId', '=', accountId).where('id', '=', id).execute();
  adjustOperatorCounts(tx, context, { operators: -1, admins: operator.roles.includes('admin') ? -1 : 0 });
}

type Memberships = Pick<Operator, 'groupId' | 'websiteList' | 'skillList'>;
const NO_MEMBERSHIPS: Memberships = { groupId: null, websiteList: [], skillList: [] };

/** Adds the memberships that are new in `after`, and updates the stored counts. */
async function addMemberships(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
  after: Memberships,
  before = NO_MEMBERSHIPS,
): Promise<void> {
  const { accountId } = context;
  if (after.groupId !== null && after.groupId !== before.groupId)
    adjustNodeOperatorCount(tx, context, 'group', after.groupId, 1);
  for (const websiteId of after.websiteList.filter((id) => !before.websiteList.includes(id))) {
    tx.send(insertWebsite, { accountId, websiteId, operatorId });
    adjustWebsiteOperatorCount(tx, context, websiteId, 1);
  }
  for (const skillId of after.skillList.filter((id) => !before.skillList.includes(id))) {
    tx.send(insertSkill, { accountId, skillId, operatorId });
    adjustNodeOperatorCount(tx, context, 'skill', skillId, 1);
  }
}

async function removeMemberships(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
  before: Memberships,
  after = NO_MEMBERSHIPS,
): Promise<void> {
  const { accountId } = context;
  if (before.groupId !== null && after.groupId !== before.groupId) {
    adjustNodeOperatorCount(tx, context, 'group', before.groupId, -1);
  }
  for (const websiteId of before.websiteList.filter((id) => !after.websiteList.includes(id))) {
    await tx.db
      .deleteFrom('operatorWebsites')
      .where('accountId', '=', accountId)
      .where('websiteId', '=', websiteId)
      .where('operatorId', '=', operatorId)
      .execute();
    adjustWebsiteOperatorCount(tx, context, websiteId, -1);
  }
  for (const skillId of before.skillList.filter((id) => !after.skillList.includes(id))) {
    await tx.db
      .deleteFrom('operatorSkills')
      .where('accountId', '=', accountId)
      .where('skillId', '=', skillId)
      .where('operatorId', '=', operatorId)
      .execute();
    adjustNodeOperatorCount(tx, context, 'skill', skillId, -1);
  }
}

function toColumns(operator: NewOperator) {
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

function toOperator(row: OperatorRow): Operator {
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
