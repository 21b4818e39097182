import { Command, Option } from 'commander';
import { endProgress, showProgress } from '../progress.ts';
import { printSection } from '../tables.ts';
import { crowd } from './crowd.ts';
import { documents } from './documents.ts';
import { imports } from './imports.ts';
import { logins } from './logins.ts';
import { neverReading } from './never-reading.ts';
import { operations } from './operations.ts';
import type { OverloadCase, OverloadRow } from './overload-case.ts';
import { webhooks } from './webhooks.ts';

/** All values of `--only`. */
const CASES: Readonly<Record<string, OverloadCase>> = {
  logins,
  imports,
  operations,
  documents,
  crowd,
  'never-reading': neverReading,
  webhooks,
};

const program = new Command('npm run overload --')
  .description(
    'Overloads the service on purpose, and shows what ordinary callers see: on a quiet service, and under load. ' +
      'Each case starts its own service on 127.0.0.1 and takes about 20 seconds. ' +
      'Run it on an idle machine: another busy program takes processor time from the service and falsifies the figures. ' +
      'The exit code is 1 if an expectation does not hold.',
  )
  .addOption(new Option('--only <name...>', 'only these cases').choices(Object.keys(CASES)))
  .parse();

const { only = Object.keys(CASES) } = program.opts<{ only?: string[] }>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let doAllHold = true;
for (const name of only) {
  const { title, run } = CASES[name] as OverloadCase;
  showProgress(`${name}: ${title}`);
  const rows = await run();
  endProgress();
  printRows(`${name}: ${title}`, rows);
  doAllHold &&= rows.every(({ holds }) => holds);
}
if (!doAllHold) {
  console.log('\nSome expectations do not hold. Was the machine idle? Another busy program falsifies the figures.');
  process.exitCode = 1;
}

function printRows(title: string, rows: readonly OverloadRow[]): void {
  printSection(title, [
    ['', 'quiet', 'loaded', 'expected', ''],
    ...rows.map(({ what, quiet, loaded, expected, holds }) => [
      ...[what, quiet, loaded, expected],
      holds ? 'holds' : 'DOES NOT HOLD',
    ]),
  ]);
}
