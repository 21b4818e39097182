// Types, lint, format, import rules, replaced words, install scripts of packages, and generated files that are up to date.
import { spawnSync } from 'node:child_process';

/** The programs of the packages for tests and checks. */
const TOOLS = 'test/node_modules/.bin';

const steps: readonly (readonly [string, readonly string[]])[] = [
  // First: the pages and their tests are checked against them.
  ['types of the schema', ['node', 'test/support/docs/schema-types.ts']],
  ['types', [`${TOOLS}/tsc`, '--noEmit']],
  ['types of the pages', [`${TOOLS}/tsc`, '-p', 'web']],
  ['types of the widget', [`${TOOLS}/tsc`, '-p', 'web/widget']],
  ['lint, format, imports', [`${TOOLS}/biome`, 'check', '--error-on-warnings', '.']],
  ['words', ['node', 'scripts/words.ts']],
  ['install scripts', ['node', 'scripts/install-scripts.ts']],
  ['generated files', ['node', 'scripts/generate.ts', '--check']],
  ['OpenAPI document', [`${TOOLS}/redocly`, 'lint', '--max-problems=20', 'docs/api/openapi.json']],
];

/** Redocly would otherwise report its use and check for updates on the network. */
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs every step, even after a failure. Returns whether all of them passed. */
export function runCheck(): boolean {
  const failed = steps.filter(([name, [command = '', ...args]]) => {
    const { status } = spawnSync(command, args, { stdio: 'inherit', env });
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
    return status !== 0;
  });
  return failed.length === 0;
}

if (import.meta.main && !runCheck()) process.exitCode = 1;
