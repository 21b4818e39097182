import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databases } from '../support/databases/databases.ts';
import { operationsOf, playSequence, shortened, trace } from './sequence.ts';

const SEQUENCES = Number(process.env.DIFFERENTIAL_SEQUENCES ?? (process.env.FULL ? 200 : 4));
const LENGTH = Number(process.env.DIFFERENTIAL_LENGTH ?? 60);
/** A failure names its seed; with it, and one sequence, it comes again. */
const FIRST_SEED = Number(process.env.DIFFERENTIAL_SEED ?? 1);
/** So many sequences may fail before the rest is left alone, and so long each is made shorter. */
const MAX_FAILURES = Number(process.env.DIFFERENTIAL_FAILURES ?? 1);
const SHORTEN_SECONDS = Number(process.env.DIFFERENTIAL_SHORTEN ?? 0);

test(`${SEQUENCES} sequences of ${LENGTH} operations bring the same on both databases`, {
  skip: databases.length < 2 && 'both databases are needed',
}, async (t) => {
  const answers: Record<string, number> = {};
  const failures: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES && failures.length < MAX_FAILURES; seed += 1) {
    const result = await playSequence(operationsOf(seed, LENGTH));
    for (const [kind, count] of Object.entries(result.answers)) answers[kind] = (answers[kind] ?? 0) + count;
    if (!result.failure) continue;
    const { message, played } = SHORTEN_SECONDS > 0 ? await shortened(result.failure, SHORTEN_SECONDS) : result.failure;
    failures.push(`DIFFERENTIAL_SEED=${seed}, operation ${result.operations}: ${message}\n${trace(played)}`);
  }
  for (const [kind, count] of Object.entries(answers).sort()) t.diagnostic(`${kind.padEnd(28)} ${count}`);
  assert.equal(failures.length, 0, failures.join('\n\n'));
});
