import type { Installation } from '../../app/installation.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { Transaction } from '../../storage/database.ts';
import { addCustomers, type DeskPlace, hasCustomers } from './add-customers.ts';
import { ACCOUNT_REPLIES, GROUP_REPLIES, listReplies, OWN_REPLIES } from './canned-replies.ts';
import { addMessagesLeft } from './messages-left.ts';

const TAGS = ['Delivery', 'Refund', 'Question', 'Praise'];
const PAUSE_REASONS = ['Break', 'Lunch', 'Meeting', 'Training'];

/** Adds what the desk can show, once: customers with their conversations, messages left, replies, settings. */
export async function addDeskData(
  installation: Installation,
  tx: Transaction,
  caller: Caller,
  { groupId, ...place }: DeskPlace & { readonly groupId: number },
): Promise<void> {
  const {
    access: { accounts },
    administration: { cannedReplies },
  } = installation;
  if (await hasCustomers(tx, caller)) return;
  await shareTags(installation, tx, caller, place.websiteId);
  await addCustomers(tx, caller, place);
  await addMessagesLeft(tx, caller, place);
  const operator: Caller = { ...caller, operatorId: place.operatorId };
  await cannedReplies.importReplies((work) => work(tx), caller, { scope: 'account' }, listReplies(ACCOUNT_REPLIES));
  await cannedReplies.importReplies(
    (work) => work(tx),
    caller,
    { scope: 'group', groupId },
    listReplies(GROUP_REPLIES),
  );
  await cannedReplies.importReplies((work) => work(tx), operator, { scope: 'own' }, listReplies(OWN_REPLIES));
  const settings = { operatorsMayTake: true, pauseReasons: PAUSE_REASONS };
  await accounts.update((work) => work(tx), caller, settings);
}

/** The shop has the same tags as the other websites, which are older. */
async function shareTags(
  { administration: { tags } }: Installation,
  tx: Transaction,
  caller: Caller,
  websiteId: number,
): Promise<void> {
  const rows = await tx.db
    .selectFrom('tags')
    .select(['id', 'websiteList'])
    .where('accountId', '=', caller.accountId)
    .where('name', 'in', TAGS)
    .execute();
  for (const { id, websiteList } of rows)
    await tags.update((work) => work(tx), caller, id, { websiteList: [...JSON.parse(websiteList), websiteId] });
}
