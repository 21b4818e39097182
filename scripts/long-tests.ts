// Runs the long versions of tests: `npm run fault`, `npm run differential`, `npm run fuzz`. Each ends with one line of
// figures. Run them on an idle machine.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

interface LongTests {
  /** Words and patterns as for `npm test`. */
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const LONG_TESTS: Readonly<Record<string, LongTests>> = {
  /** Kills and restarts nodes, stops the database, cuts the network, shifts clocks. One file at a time. */
  fault: { files: ['test/fault/'], env: { FULL: '1', KILLS: '50', TEST_CONCURRENCY: '1' } },
  /** The same random sequences on both databases, and the random tests of the engine. */
  differential: {
    files: [
      'test/differential/',
      'test/core/engine/properties.test.ts',
      'test/core/engine/changes-together.test.ts',
      'test/core/engine/routing/candidates.test.ts',
      'test/core/webhooks/webhook-nodes.test.ts',
    ],
    env: { FULL: '1' },
  },
  /** Generated input for parsers, interfaces and rules. */
  fuzz: {
    files: [
      'test/api/graphql/desk-events.test.ts',
      'test/api/graphql/edges.test.ts',
      'test/api/graphql/routing-explained.test.ts',
      'test/api/rest/filters-model.test.ts',
      'test/api/rest/fuzz.test.ts',
      'test/api/rest/properties.test.ts',
      'test/core/engine/routing/routing-lists.test.ts',
      'test/core/events/audit.test.ts',
      'test/core/events/event-log.test.ts',
      'test/core/upkeep/invariants.test.ts',
      'test/web/desk/properties.test.ts',
      'test/web/widget/colours.test.ts',
    ],
    env: { FULL: '1' },
  },
};
const TWO_HOURS_MS = String(7_200_000);

const name = process.argv[2] ?? '';
const { files, env } = LONG_TESTS[name] ?? {};
if (!files) {
  console.error(`There are no long tests "${name}", only ${Object.keys(LONG_TESTS).join(', ')}.`);
  process.exit(2);
}
const tests = spawn(process.execPath, [join(import.meta.dirname, 'test.ts'), ...files], {
  stdio: 'inherit',
  env: {
    ...{ TEST_LONGEST_MS: TWO_HOURS_MS, TEST_FILE_LONGEST_MS: TWO_HOURS_MS, ...env, ...process.env },
    TEST_RUN_TITLE: name,
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
tests.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
