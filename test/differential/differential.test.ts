import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databases } from '../support/databases/databases.ts';
import { formatTrace, generateOperations, runSequence, shortenFailure } from './sequence.ts';

const SEQUENCE_COUNT = Number(process.env.DIFFERENTIAL_SEQUENCES ?? (process.env.FULL ? 200 : 4));
const SEQUENCE_LENGTH = Number(process.env.DIFFERENTIAL_LENGTH ?? 60);
/** To reproduce a failure, set the seed from its message and run one sequence. */
const FIRST_SEED = Number(process.env.DIFFERENTIAL_SEED ?? 1);
/** Stops after this many failed sequences; each is shortened for up to this many seconds. */
const MAX_FAILURES = Number(process.env.DIFFERENTIAL_FAILURES ?? 1);
const SHORTEN_SECONDS = Number(process.env.DIFFERENTIAL_SHORTEN ?? 0);

test(`${SEQUENCE_COUNT} sequences of ${SEQUENCE_LENGTH} operations have the same results on both databases`, {
  skip: databases.length < 2 && 'needs both databases',
}, async (t) => {
  const responseCounts: Record<string, number> = {};
  const failures: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCE_COUNT && failures.length < MAX_FAILURES; seed += 1) {
    const result = await runSequence(generateOperations(seed, SEQUENCE_LENGTH));
    for (const [kind, count] of Object.entries(result.responseCounts))
      responseCounts[kind] = (responseCounts[kind] ?? 0) + count;
    if (!result.failure) continue;
    const { message, operations } =
      SHORTEN_SECONDS > 0 ? await shortenFailure(result.failure, SHORTEN_SECONDS) : result.failure;
    failures.push(`DIFFERENTIAL_SEED=${seed}, operation ${result.operations}: ${message}\n${formatTrace(operations)}`);
  }
  const compared = Object.values(responseCounts).reduce((sum, count) => sum + count, 0);
  t.diagnostic(`figure: ${SEQUENCE_COUNT} sequences`);
  t.diagnostic(`figure: ${compared} answers compared`);
  for (const [kind, count] of Object.entries(responseCounts).sort()) t.diagnostic(`${kind.padEnd(28)} ${count}`);
  assert.equal(failures.length, 0, failures.join('\n\n'));
});
