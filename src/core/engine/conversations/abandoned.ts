import type { Database, Transaction } from '../../../storage/database.ts';
import { foundation } from '../../../storage/migrations/0001-foundation.ts';
import { visitorPresence } from '../../../storage/migrations/0012-visitor-presence.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { isAbandoned } from '../records/visitor-presence-store.ts';
import { closeConversation } from './conversation-service.ts';

/** Enough for an upgrade node by node. */
const UPGRADE_MS = 3_600_000;

/** Ends a conversation whose visitor stayed away, unless they came back or it was closed in the meantime. */
export async function endAbandoned(tx: Transaction, context: ActorContext, id: number): Promise<void> {
  if (!(await isAbandoned(tx, { accountId: context.accountId, id }))) return;
  await closeConversation(tx, context, await requireConversation(tx, context.accountId, id), {
    closeReason: 'visitor_left',
  });
}

/** Returns when nodes of the version without visitor presence have surely stopped; 0 for a new installation. */
export async function loadUpgradeEnd({ read }: Pick<Database, 'read'>): Promise<number> {
  const rows = await read.selectFrom('migrations').select(['name', 'appliedAt']).execute();
  const findTime = (name: string) => rows.find((row) => row.name === name)?.appliedAt ?? 0;
  const upgradedAt = findTime(visitorPresence.name);
  return upgradedAt === findTime(foundation.name) ? 0 : upgradedAt + UPGRADE_MS;
}
