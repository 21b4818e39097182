// Types, lint, format, import rules, and generated pages that are still true.
import { spawnSync } from 'node:child_process';

const steps: readonly (readonly [string, readonly string[]])[] = [
  ['types', ['tsc', '--noEmit']],
  ['lint, format, imports', ['biome', 'check', '--error-on-warnings', '.']],
  ['generated files', ['node', 'scripts/generate.ts', '--check']],
  ['OpenAPI document', ['redocly', 'lint', '--max-problems=20', 'docs/api/openapi.json']],
];

/** The linter of the document would otherwise report its use and look for updates on the network. */
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs every step, also after one has failed; answers whether all went well. */
export function runCheck(): boolean {
  const failed = steps.filter(([name, [command = '', ...args]]) => {
    const { status } = spawnSync(command, args, { stdio: 'inherit', env });
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
    return status !== 0;
  });
  return failed.length === 0;
}

if (import.meta.main && !runCheck()) process.exitCode = 1;
