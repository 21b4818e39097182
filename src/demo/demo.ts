import type { Installation } from '../app/installation.ts';
import type { Caller, Transact } from '../core/kernel/caller.ts';
import { systemCaller } from '../core/kernel/caller.ts';
import { claimSlot, recordFirstLogin, setAvailability } from '../core/live/live-store.ts';
import type { Operator, OperatorCreate } from '../core/operators/operator.ts';
import type { Transaction } from '../storage/database.ts';
import { DEMO_OPERATORS } from './demo-operators.ts';
import { addActiveChat, addHistory } from './history.ts';
import { addShop, DEMO_PREFIX, TEAM_PREFIX } from './shop/shop-data.ts';

const DAY_MS = 24 * 3600 * 1000;

/** How many operators were added. */
export interface AddedDemoData {
  readonly operators: number;
  readonly shopOperators: number;
}

/** Adds what is missing of the demo data to the first account. */
export async function loadDemoData(installation: Installation): Promise<AddedDemoData> {
  const caller = await findDemoCaller(installation);
  const operators = await addOperatorsWithHistory(installation, caller);
  const shopOperators = await installation.database.transaction(
    (tx) => addShop(installation, tx, caller),
    caller.accountId,
  );
  return { operators, shopOperators };
}

/** Returns the number of operators added; 0 if they already exist. */
async function addOperatorsWithHistory(installation: Installation, caller: Caller): Promise<number> {
  if ((await findDemoOperatorIds(installation, caller)).length > 0) return 0;
  const transact: Transact = (work) => installation.database.transaction(work, caller.accountId);
  const directory = await createDirectory(installation, caller, transact);
  const operators: Operator[] = [];
  for (const [index, demoOperator] of DEMO_OPERATORS.entries()) {
    const operator = await installation.administration.operators.create(
      transact,
      caller,
      buildOperator(index, demoOperator, directory),
    );
    const [, , , city, country] = demoOperator;
    const status = index % 3 === 0 ? 'At your service' : '';
    await installation.administration.profiles.update(transact, caller, operator.id, { status, city, country });
    operators.push(operator);
  }
  await transact(async (tx) => {
    await addHistory(tx, caller, { operators, tags: directory.tags });
    for (const [index, operator] of operators.entries()) await addLiveState(tx, caller, operator, index);
  });
  return operators.length;
}

export async function findDemoCaller({ access: { accounts } }: Installation): Promise<Caller> {
  const [account] = await accounts.list();
  if (!account) throw new Error('There is no account to add the demo data to.');
  return systemCaller(account.id);
}

/** The demo operators who are at work: most of them. Those who were deleted are left out. */
export async function findPresentOperators(installation: Installation, caller: Caller): Promise<number[]> {
  return (await findDemoOperatorIds(installation, caller)).filter((_, index) => shouldBeConnected(index));
}

/** Without those of the shop. */
async function findDemoOperatorIds({ database }: Installation, { accountId }: Caller): Promise<number[]> {
  const rows = await database.read
    .selectFrom('operators')
    .select('id')
    .where('accountId', '=', accountId)
    .where('externalIdFolded', 'like', `${DEMO_PREFIX}%`)
    .where('externalIdFolded', 'not like', `${TEAM_PREFIX}%`)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

interface Directory {
  readonly websites: readonly number[];
  readonly groups: readonly number[];
  readonly skills: readonly number[];
  readonly tags: readonly number[];
}

async function createDirectory(
  { administration: { websites, groups, skills, tags } }: Installation,
  caller: Caller,
  transact: Transact,
): Promise<Directory> {
  const websiteIds: number[] = [];
  for (const [label, host] of [
    ['Shop', 'shop'],
    ['Support', 'support'],
    ['Bank', 'bank'],
  ] as const) {
    websiteIds.push((await websites.create(transact, caller, { label, url: `https://${host}.example.com` })).id);
  }
  const groupIds: number[] = [];
  for (const [name, parent] of [['Europe'], ['France', 0], ['Germany', 0], ['Night shift']] as const) {
    const parentId = parent === undefined ? null : (groupIds[parent] ?? null);
    groupIds.push((await groups.create(transact, caller, { name, parentId })).id);
  }
  const skillIds: number[] = [];
  for (const [order, [name, parent]] of (
    [['Sales'], ['Returns', 0], ['Billing'], ['Technical help'], ['Networks', 3]] as const
  ).entries()) {
    const parentId = parent === undefined ? null : (skillIds[parent] ?? null);
    skillIds.push((await skills.create(transact, caller, { name, order, parentId })).id);
  }
  const tagIds: number[] = [];
  for (const name of ['Delivery', 'Refund', 'Question', 'Praise']) {
    tagIds.push((await tags.create(transact, caller, { name })).id);
  }
  return { websites: websiteIds, groups: groupIds, skills: skillIds, tags: tagIds };
}

/** Every fourth operator has neither skill nor group, so that a live list without filters is not empty. */
function buildOperator(
  index: number,
  [firstName, name, languages]: (typeof DEMO_OPERATORS)[number],
  directory: Directory,
): OperatorCreate {
  const { groups, skills, websites } = directory;
  const isUnassigned = index % 4 === 0;
  const pick = <T>(list: readonly T[], step: number) => list[(index * step) % list.length] as T;
  return {
    name,
    firstName,
    pseudo: `${firstName} ${name.slice(0, 1)}.`,
    email: `demo${index + 1}@example.com`,
    externalId: `${DEMO_PREFIX}${index + 1}`,
    roles: index === 1 ? ['manager', 'operator'] : index % 10 === 9 ? ['expert'] : ['operator'],
    chatEnabled: index % 7 !== 6,
    callEnabled: index % 2 === 0,
    videoEnabled: index % 3 === 0,
    chatMaxNumber: 2 + (index % 4),
    chatAndCall: index % 5 === 0,
    chatToVideo: index % 6 === 0,
    chatPriority: index % 8 === 0 ? 10 : 0,
    languageList: [...languages],
    languageAdmin: (['fr', 'en', 'de', 'es'] as const)[index % 4] ?? 'en',
    groupId: isUnassigned ? null : pick(groups, 3),
    websiteList: index % 5 === 4 ? [pick(websites, 1)] : [...websites],
    skillList: isUnassigned ? [] : [...new Set([pick(skills, 1), pick(skills, 3)])],
    ...(index % 9 === 2 ? { callConfig: { type: 'ANSWER_FROM_PHONE', phoneNumber: `+3312345${1000 + index}` } } : {}),
  };
}

function shouldBeConnected(index: number): boolean {
  return index % 5 !== 3;
}

/** Sets availability. Most operators also get a first login, and some an active chat with its conversation row. */
async function addLiveState(tx: Transaction, caller: Caller, operator: Operator, index: number): Promise<void> {
  const isBusy = shouldBeConnected(index) && operator.chatEnabled && index % 3 === 1;
  if (isBusy) await addActiveChat(tx, caller, operator);
  const { id: operatorId } = operator;
  if (index !== 38) await recordFirstLogin(tx, caller, { operatorId, at: tx.now - (index + 1) * DAY_MS });
  const availability = {
    chat: { available: index % 6 !== 5 },
    call: { available: index % 4 === 0 },
    video: { available: index % 3 === 0 },
  };
  setAvailability(tx, caller, { operatorId, update: availability });
  if (isBusy) await claimSlot(tx, caller, { operatorId, channel: 'chat', mode: 'forced' });
}
