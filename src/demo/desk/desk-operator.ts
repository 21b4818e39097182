import { randomInt } from 'node:crypto';
import type { Installation } from '../../app/installation.ts';
import type { Caller, Transact } from '../../core/kernel/caller.ts';
import { setAvailability } from '../../core/live/live-store.ts';
import type { OperatorCreate } from '../../core/operators/operator.ts';
import type { Database } from '../../storage/database.ts';
import { SHOP_NAME } from '../shop/products.ts';
import type { DeskPlace } from './add-customers.ts';
import { addDeskData } from './desk-data.ts';

/** Not one of the played people: their external ids start with "demo-". */
const EXTERNAL_ID = 'halden-desk';
const GROUP_NAME = `${SHOP_NAME} customer care`;

/** Without characters that look alike. */
const PASSWORD_CHARACTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** With which a person opens the desk, to serve the visitors of the shop. */
export interface DeskLogin {
  readonly email: string;
  readonly password: string;
}

/**
 * Prepares the operator whom a person plays. At every start they get a new password, because it is printed, and are
 * available as soon as the desk is open. What the desk shows is added once.
 */
export async function prepareDesk(
  installation: Installation,
  caller: Caller,
  { websiteId, shopUrl }: Omit<DeskPlace, 'operatorId'>,
): Promise<DeskLogin> {
  const { administration, database } = installation;
  const transact: Transact = (work) => database.transaction(work, caller.accountId);
  const password = generatePassword();
  const existing = await findOperator(database, caller);
  const groupId = await findOrCreateGroup(installation, caller);
  const operator = existing
    ? await administration.operators.update(transact, caller, existing.id, { password })
    : await administration.operators.create(transact, caller, { ...buildOperator(websiteId), groupId, password });
  const { id: operatorId, email } = operator;
  await transact(async (tx) => {
    await addDeskData(installation, tx, caller, { websiteId, shopUrl, operatorId, groupId });
    setAvailability(tx, caller, { operatorId, update: { chat: { available: true } } });
  });
  return { email, password };
}

async function findOperator({ read }: Database, { accountId }: Caller): Promise<{ readonly id: number } | undefined> {
  return read
    .selectFrom('operators')
    .select('id')
    .where('accountId', '=', accountId)
    .where('externalIdFolded', '=', EXTERNAL_ID)
    .executeTakeFirst();
}

async function findOrCreateGroup({ administration, database }: Installation, caller: Caller): Promise<number> {
  const existing = await database.read
    .selectFrom('groups')
    .select('id')
    .where('accountId', '=', caller.accountId)
    .where('name', '=', GROUP_NAME)
    .executeTakeFirst();
  const transact: Transact = (work) => database.transaction(work, caller.accountId);
  return (existing ?? (await administration.groups.create(transact, caller, { name: GROUP_NAME }))).id;
}

/** Comes before the played people: a higher priority, and every language of the shop. */
function buildOperator(websiteId: number): OperatorCreate {
  return {
    name: 'Falk',
    firstName: 'Robin',
    pseudo: 'Robin',
    email: 'robin@halden.example.com',
    externalId: EXTERNAL_ID,
    roles: ['operator'],
    chatMaxNumber: 4,
    chatPriority: 10,
    languageList: ['en', 'de', 'es', 'fr'],
    websiteList: [websiteId],
  };
}

/** 59 bits, easy to type. */
function generatePassword(): string {
  const generatePart = () =>
    Array.from({ length: 4 }, () => PASSWORD_CHARACTERS[randomInt(PASSWORD_CHARACTERS.length)]).join('');
  return [generatePart(), generatePart(), generatePart()].join('-');
}
