import type { Installation } from '../../app/installation.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { Transaction } from '../../storage/database.ts';
import { addCustomers, type DeskPlace } from './add-customers.ts';
import { ACCOUNT_REPLIES, GROUP_REPLIES, listReplies, OWN_REPLIES } from './canned-replies.ts';
import { addMessagesLeft } from './messages-left.ts';

const PAUSE_REASONS = ['Break', 'Lunch', 'Meeting', 'Training'];

/** Adds what the desk can show, once: customers with their conversations, messages left, replies, settings. */
export async function addDeskData(
  { access, administration: { cannedReplies } }: Installation,
  tx: Transaction,
  caller: Caller,
  { groupId, ...place }: DeskPlace & { readonly groupId: number },
): Promise<void> {
  if (!(await addCustomers(tx, caller, place))) return;
  await addMessagesLeft(tx, caller, place);
  const operator: Caller = { ...caller, operatorId: place.operatorId };
  await cannedReplies.import((work) => work(tx), caller, { scope: 'account' }, listReplies(ACCOUNT_REPLIES));
  await cannedReplies.import((work) => work(tx), caller, { scope: 'group', groupId }, listReplies(GROUP_REPLIES));
  await cannedReplies.import((work) => work(tx), operator, { scope: 'own' }, listReplies(OWN_REPLIES));
  const settings = { operatorsMayTake: true, pauseReasons: PAUSE_REASONS };
  await access.accounts.update((work) => work(tx), caller, settings);
}
