import { type Installation, openInstallation } from '../../src/app/installation.ts';
import { readConfig } from '../../src/config.ts';
import { systemCaller } from '../../src/core/kernel/caller.ts';
import { claimSlot, releaseSlot } from '../../src/core/live/live-store.ts';
import { type WatchedProcesses, watchProcessorTime } from '../processor-time.ts';
import { showProgress } from '../progress.ts';
import { FIRST_ACCOUNT } from './population.ts';

/** What the lists of routing add to the change of a slot, for operators with 9 needs. */

const NEEDS = {
  groupId: 1,
  websiteList: '[1,2,3]',
  skillList: '[1,2,3]',
  languageList: '["en","fr"]',
};
/** The first ones are kept. Every operator is on each of them, the worst case. */
const LISTS = [
  ...['skill 1', 'skill 2', 'skill 3', 'group 1', 'language en', 'language fr'],
  ...['website 1', 'website 2', 'website 3'],
];
const LIST_COUNTS = [0, 1, 4, LISTS.length];
const OPERATOR_COUNT = 1000;
const CHANGES_PER_TRANSACTION = 100;

export interface SlotChangeResult {
  readonly lists: number;
  /** Processor time of one claim or release, with its history: of the service and its database. */
  readonly microseconds: number;
}

/** Needs a database of its own with 1,000 connected operators. */
export async function measureSlotChanges(
  database: { readonly url: string; readonly secret: string; readonly postgresPid?: number },
  rounds: number,
): Promise<SlotChangeResult[]> {
  const installation = await openInstallation(
    readConfig({ DATABASE_URL: database.url, SWITCHBOARD_SECRET: database.secret }),
  );
  const watched = { nodes: [process.pid], postgres: database.postgresPid };
  await installation.database.transaction(async ({ db }) => {
    await db.updateTable('operatorLive').set(NEEDS).where('operatorId', '>', 1).execute();
  }, FIRST_ACCOUNT);
  const results: SlotChangeResult[] = [];
  let kept = 0;
  for (const lists of LIST_COUNTS) {
    const added = LISTS.slice(kept, lists);
    kept = lists;
    if (added.length > 0)
      await installation.database.transaction(async ({ db }) => {
        const rows = added.map((need) => ({ accountId: FIRST_ACCOUNT, need }));
        await db.insertInto('routingLists').values(rows).execute();
      }, FIRST_ACCOUNT);
    const samples: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      showProgress(`slot changes, ${lists} lists: round ${round} of ${rounds}`);
      const microseconds = await measureRound(installation, watched);
      if (round > 0) samples.push(microseconds);
    }
    results.push({ lists, microseconds: samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN });
  }
  await installation.database.close();
  return results;
}

/** Processor time does not depend on what else the machine does. Undefined on systems that do not report it. */
async function measureRound({ database }: Installation, watched: WatchedProcesses): Promise<number> {
  const caller = systemCaller(FIRST_ACCOUNT);
  const readTime = watchProcessorTime(watched);
  const transactions = 20;
  for (let count = 0; count < transactions; count++) {
    await database.transaction(async (tx) => {
      for (let change = 0; change < CHANGES_PER_TRANSACTION / 2; change++) {
        const operatorId = 2 + Math.floor(Math.random() * OPERATOR_COUNT);
        await claimSlot(tx, caller, { operatorId, channel: 'chat' });
        releaseSlot(tx, caller, { operatorId, channel: 'chat' });
      }
    }, FIRST_ACCOUNT);
  }
  const time = readTime?.();
  return time ? (time.nodes + time.postgres) / (transactions * CHANGES_PER_TRANSACTION) : Number.NaN;
}
