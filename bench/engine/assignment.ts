import { constants, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Installation, openInstallation } from '../../src/app/installation.ts';
import { readConfig } from '../../src/config.ts';
import type { ConversationStart } from '../../src/core/engine/conversations/start.ts';
import type { Transact, VisitorCaller } from '../../src/core/kernel/caller.ts';
import { DATABASE_FILE, prepareFilledFolder } from '../fill.ts';
import { showProgress } from '../progress.ts';
import {
  HALF_LANGUAGE,
  HALF_SKILL_ID,
  idlePopulation,
  ONE_IN_TEN_ID,
  ONE_IN_TEN_WEBSITE_ID,
  RARE_LANGUAGE,
  VISITOR_COUNT,
  WEBSITE_ID,
} from './population.ts';

/** The cost of one assignment by the number of connected operators, measured in the core, without HTTP. */

const CONNECTED_COUNTS = [10, 100, 1000, 10_000];
const ACCOUNT_ID = 1;
/** Fits the capacity of the smallest account, so that all conversations are assigned. */
const CONVERSATIONS_PER_ROUND = 40;

type Need = Partial<ConversationStart> & { readonly websiteId?: number };

const NEEDS: readonly (readonly [string, Need])[] = [
  ['any operator', {}],
  ['a skill of 1 in 10 operators', { skillId: ONE_IN_TEN_ID }],
  ['a group of 1 in 10 operators', { groupId: ONE_IN_TEN_ID }],
  ['a website of 1 in 10 operators', { websiteId: ONE_IN_TEN_WEBSITE_ID }],
  ['a language of 1 operator', { language: RARE_LANGUAGE }],
  ['a skill of half and a group of 1 in 10', { skillId: HALF_SKILL_ID, groupId: ONE_IN_TEN_ID }],
  [
    'a skill of half, a language of half and a website of 1 in 10',
    { skillId: HALF_SKILL_ID, language: HALF_LANGUAGE, websiteId: ONE_IN_TEN_WEBSITE_ID },
  ],
];

export interface AssignmentResult {
  readonly need: string;
  readonly connected: number;
  /** Per start with its assignment; concurrent starts share disk syncs. */
  readonly microseconds: number;
  /** The slowdown compared with the fewest operators, measured in the same rounds. */
  readonly slowdown: number;
}

export async function measureAssignment(cache: string, folder: string, rounds: number): Promise<AssignmentResult[]> {
  const subjects = [];
  for (const connected of CONNECTED_COUNTS) {
    subjects.push({ connected, installation: await openCopy(cache, join(folder, `assign-${connected}`), connected) });
  }
  const results: AssignmentResult[] = [];
  for (const [need, input] of NEEDS) {
    const measured = subjects.map(() => [] as number[]);
    for (let round = 0; round <= rounds; round++) {
      showProgress(`assignments, ${need}: round ${round} of ${rounds}`);
      for (const [index, { installation }] of subjects.entries()) {
        const microseconds = await measureRound(installation, input);
        if (round > 0) measured[index]?.push(microseconds); // the first round compiles statements and fills caches
      }
    }
    const [fewest = []] = measured;
    for (const [index, { connected }] of subjects.entries()) {
      const samples = measured[index] as number[];
      const slowdowns = samples.map((value, round) => value / (fewest[round] as number));
      results.push({ need, connected, microseconds: median(samples), slowdown: median(slowdowns) });
    }
  }
  for (const { installation } of subjects) await installation.database.close();
  return results;
}

async function openCopy(cache: string, folder: string, connected: number): Promise<Installation> {
  const filled = await prepareFilledFolder(cache, connected + 1, idlePopulation); // the admin is not connected
  mkdirSync(folder, { recursive: true });
  const file = join(folder, DATABASE_FILE);
  copyFileSync(join(filled, DATABASE_FILE), file, constants.COPYFILE_FICLONE);
  return openInstallation(readConfig({ DATABASE_URL: `sqlite:${file}`, SWITCHBOARD_SECRET: 'x'.repeat(32) }));
}

/** Starts conversations concurrently and closes them. Returns the time of one start in microseconds. */
async function measureRound(
  { engine: { conversations }, database }: Installation,
  { websiteId = WEBSITE_ID, ...input }: Need,
): Promise<number> {
  const transact: Transact = (work) => database.transaction(work);
  const visitors = Array.from({ length: CONVERSATIONS_PER_ROUND }, () =>
    toVisitorCaller(1 + Math.floor(Math.random() * VISITOR_COUNT), websiteId),
  );
  const before = performance.now();
  const started = await Promise.all(
    visitors.map((visitor) => conversations.start(transact, visitor, { channel: 'chat', ...input })),
  );
  const microseconds = ((performance.now() - before) * 1000) / CONVERSATIONS_PER_ROUND;
  const unassigned = started.filter(({ state }) => state !== 'offered').length;
  if (unassigned > 0) throw new Error(`${unassigned} of ${CONVERSATIONS_PER_ROUND} conversations were not assigned.`);
  await Promise.all(
    started.map(({ id, visitorId }) =>
      conversations.closeAsVisitor(transact, toVisitorCaller(visitorId ?? 0, websiteId), id),
    ),
  );
  return microseconds;
}

function toVisitorCaller(visitorId: number, websiteId: number): VisitorCaller {
  const actor = { type: 'visitor', id: visitorId } as const;
  return { accountId: ACCOUNT_ID, visitorId, websiteId, language: 'en', actor };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}
