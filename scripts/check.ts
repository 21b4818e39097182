// Types, lint, format, import rules, replaced words, install scripts of packages, and generated files that are up to date.
import { spawn } from 'node:child_process';

/** The programs of the packages for tests and checks. */
const TOOLS = 'test/node_modules/.bin';

type Step = readonly [name: string, command: readonly string[]];

/** The types of the pages and their tests are checked against it. */
const FIRST_STEP: Step = ['types of the schema', ['node', 'test/support/docs/schema-types.ts']];

const OTHER_STEPS: readonly Step[] = [
  ['types', checkTypes('tsconfig.json', 'project')],
  ['types of the pages', checkTypes('web', 'web')],
  ['types of the widget', checkTypes('web/widget', 'widget')],
  ['lint, format, imports', [`${TOOLS}/biome`, 'check', '--error-on-warnings', '.']],
  ['words', ['node', 'scripts/words.ts']],
  ['install scripts', ['node', 'scripts/install-scripts.ts']],
  ['generated files', ['node', 'scripts/generate.ts', '--check']],
  ['OpenAPI document', [`${TOOLS}/redocly`, 'lint', '--max-problems=20', 'docs/api/openapi.json']],
];

/** One checker, because several repeat much of each other's work. It remembers the results of unchanged files. */
function checkTypes(project: string, name: string): string[] {
  const memory = ['--incremental', '--tsBuildInfoFile', `dist/types/${name}.tsbuildinfo`];
  return [`${TOOLS}/tsc`, '--project', project, '--noEmit', '--checkers', '1', ...memory];
}

/** Redocly would otherwise report its use and check for updates on the network. */
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs every step, even after a failure. Returns whether all of them passed. */
export async function runCheck(): Promise<boolean> {
  const first = await runStep(FIRST_STEP);
  const others = await Promise.all(OTHER_STEPS.map(runStep));
  return first && others.every((passed) => passed);
}

/** Prints the output of a step as a whole once it ends: steps run at the same time. */
async function runStep([name, [command = '', ...args]]: Step): Promise<boolean> {
  const step = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const output: Buffer[] = [];
  for (const stream of [step.stdout, step.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const status = await new Promise((resolve) => {
    step.once('error', (error) => resolve(output.push(Buffer.from(`${error.message}\n`))));
    step.once('close', resolve);
  });
  process.stdout.write(Buffer.concat(output));
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  return status === 0;
}

if (import.meta.main && !(await runCheck())) process.exitCode = 1;
