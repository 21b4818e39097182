import { constants, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Installation, openInstallation } from '../../src/app/installation.ts';
import { readConfig } from '../../src/config.ts';
import type { ConversationStart } from '../../src/core/engine/conversations/start.ts';
import type { Transact, VisitorCaller } from '../../src/core/kernel/caller.ts';
import { DATABASE, filledFolder } from '../fill.ts';
import { progress } from '../progress.ts';
import { ONE_IN_TEN, RARE_LANGUAGE, roomy, VISITORS, WEBSITE } from './population.ts';

/** What one assignment costs, by the number of connected operators: through the core, without protocols around it. */

const CONNECTED = [10, 100, 1000, 10_000];
const ACCOUNT = 1;
/** Less than what the smallest account can take, so that everything is assigned. */
const PER_ROUND = 40;

const NEEDS: readonly (readonly [string, Partial<ConversationStart>])[] = [
  ['anybody', {}],
  ['a skill that one in ten has', { skillId: ONE_IN_TEN }],
  ['a group that one in ten is in', { groupId: ONE_IN_TEN }],
  ['a language that only one speaks', { language: RARE_LANGUAGE }],
];

export interface AssignmentResult {
  readonly need: string;
  readonly connected: number;
  /** Of one start with its assignment, of many that share the syncs of the disk. */
  readonly microseconds: number;
  /** How many times as much as with the fewest, measured in the same rounds. */
  readonly times: number;
}

export async function measureAssignment(cache: string, folder: string, rounds: number): Promise<AssignmentResult[]> {
  const subjects = [];
  for (const connected of CONNECTED) {
    subjects.push({ connected, installation: await openCopy(cache, join(folder, `assign-${connected}`), connected) });
  }
  const results: AssignmentResult[] = [];
  for (const [need, input] of NEEDS) {
    const measured = subjects.map(() => [] as number[]);
    for (let round = 0; round <= rounds; round++) {
      progress(`assignments, ${need}: round ${round} of ${rounds}`);
      for (const [index, { installation }] of subjects.entries()) {
        const taken = await assign(installation, input);
        if (round > 0) measured[index]?.push(taken); // the first one compiles statements and fills caches
      }
    }
    const [fewest = []] = measured;
    for (const [index, { connected }] of subjects.entries()) {
      const own = measured[index] as number[];
      const times = own.map((value, round) => value / (fewest[round] as number));
      results.push({ need, connected, microseconds: median(own), times: median(times) });
    }
  }
  for (const { installation } of subjects) await installation.database.close();
  return results;
}

async function openCopy(cache: string, folder: string, connected: number): Promise<Installation> {
  const filled = await filledFolder(cache, connected + 1, roomy); // the admin is not connected
  mkdirSync(folder, { recursive: true });
  const file = join(folder, DATABASE);
  copyFileSync(join(filled, DATABASE), file, constants.COPYFILE_FICLONE);
  return openInstallation(readConfig({ DATABASE_URL: `sqlite:${file}`, SWITCHBOARD_SECRET: 'x'.repeat(32) }));
}

/** Starts conversations at once and closes them again; answers with what one start took. */
async function assign(
  { engine: { conversations }, database }: Installation,
  input: Partial<ConversationStart>,
): Promise<number> {
  const transact: Transact = (work) => database.transaction(work);
  const visitors = Array.from({ length: PER_ROUND }, () => visitor(1 + Math.floor(Math.random() * VISITORS)));
  const before = performance.now();
  const started = await Promise.all(
    visitors.map((who) => conversations.start(transact, who, { channel: 'chat', ...input })),
  );
  const taken = ((performance.now() - before) * 1000) / PER_ROUND;
  const waiting = started.filter(({ state }) => state !== 'offered').length;
  if (waiting > 0) throw new Error(`${waiting} of ${PER_ROUND} conversations were not assigned.`);
  await Promise.all(
    started.map(({ id, visitorId }) => conversations.closeAsVisitor(transact, visitor(visitorId ?? 0), id)),
  );
  return taken;
}

function visitor(visitorId: number): VisitorCaller {
  const actor = { type: 'visitor', id: visitorId } as const;
  return { accountId: ACCOUNT, visitorId, websiteId: WEBSITE, language: 'en', actor };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}
