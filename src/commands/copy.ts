import { readConfig } from '../config.ts';
import { finish } from '../storage/copy/begun-copy.ts';
import {
  type Contents,
  compareAll,
  contentsOf,
  copyMissing,
  type Ends,
  prepareTarget,
} from '../storage/copy/copy-installation.ts';
import { installationTables } from '../storage/copy/installation-tables.ts';
import type { Comparison } from '../storage/copy/verify.ts';
import { type Address, addressIn, inWords, migrateEnd, openEnd, refuseSame } from './copy-ends.ts';
import { CopyProgress, grouped, rate, seconds } from './copy-progress.ts';
import { secretAdvice } from './copy-secret.ts';
import { CommandFailed } from './report.ts';
import { table } from './table.ts';
import { STOP_SIGNALS, type Terminal } from './terminal.ts';

interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly verify?: boolean;
  readonly beginAgain?: boolean;
  readonly ignoreConnections?: boolean;
}

const GO_ON = 'Run the same command again: it goes on where it stopped.';

/** Moves a whole installation to another database, or goes on with that. The source is never changed. */
export async function copy(terminal: Terminal, options: CopyOptions): Promise<void> {
  const from = addressIn('--from', options.from);
  const to = addressIn('--to', options.to);
  refuseSame(from, to);
  const { SWITCHBOARD_SECRET: secret } = readConfig({ ...terminal.env, DATABASE_URL: undefined });
  const { verify: readOnly = false, ignoreConnections = false } = options;
  const source = await openEnd(from, { readOnly: true, ignoreConnections });
  try {
    const contents = await contentsOf(source, installationTables()).catch(saying(`${from.name} cannot be read`));
    const target = await openEnd(to, { readOnly, ignoreConnections });
    const { signal, release: ignoreStops } = stopSignal(terminal, readOnly);
    try {
      const { console } = terminal;
      console.log(`From ${from.name} to ${to.name}: ${grouped(rowsIn(contents))} rows.`);
      const ends = { source, target };
      if (!readOnly) await fill(terminal, ends, contents, { to, beginAgain: options.beginAgain ?? false, signal });
      await verify(terminal, ends, contents, {
        signal,
        advice: readOnly ? '' : ' It cannot be used: add --begin-again.',
      });
      if (readOnly) return;
      await settle(ends, contents).catch(saying('The copy cannot be finished'));
      console.log(`The copy is complete. ${from.name} is as it was.`);
      console.log(await secretAdvice(target.end, { from, to }, secret));
    } finally {
      ignoreStops();
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function fill(
  { console, stdout }: Terminal,
  ends: Ends,
  contents: Contents,
  { to, beginAgain, signal }: { readonly to: Address; readonly beginAgain: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const begun = await prepareTarget(ends.target, contents, {
    ...{ beginAgain, now: Date.now() },
    migrate: () => migrateEnd(to),
  }).catch(saying(`${to.name} cannot be made ready`));
  const already = [...begun.values()].reduce((sum, { rows }) => sum + rows, 0);
  if (already > 0) console.log(`A copy was begun: ${grouped(already)} rows are there already.`);
  const progress = new CopyProgress(stdout, rowsIn(contents), signal, { eachTable: true });
  await copyMissing(ends, contents, begun, progress).catch((error) => {
    throw inWords(
      error,
      `The copy stopped at the table ${progress.tableName}. When this is mended, run the same command again`,
    );
  });
  progress.end();
  const { rowsDone, elapsedMs } = progress;
  console.log(`Copied ${grouped(rowsDone)} rows in ${seconds(elapsedMs)} (${rate(rowsDone, elapsedMs)}).\n`);
}

/** Counts and checksums of what is stored at both ends, table by table. */
async function verify(
  { console, stdout }: Terminal,
  ends: Ends,
  contents: Contents,
  { signal, advice }: { readonly signal: AbortSignal; readonly advice: string },
): Promise<void> {
  const progress = new CopyProgress(stdout, rowsIn(contents), signal, { eachTable: false });
  const compared = await compareAll(ends, contents, progress).catch((error) => {
    throw inWords(error, `The table ${progress.tableName} cannot be compared`);
  });
  progress.end();
  console.log(`Compared ${grouped(progress.rowsDone)} rows in ${seconds(progress.elapsedMs)}.\n`);
  console.log(table(['table', 'rows', 'in the copy', 'checksum', 'in the copy', ''], compared.map(asCells)));
  const different = compared.filter(({ same }) => !same).map((comparison) => comparison.table);
  if (different.length > 0) {
    throw new CommandFailed(`The copy differs from the source in: ${different.join(', ')}.${advice}`);
  }
  console.log('\nBoth hold the same.');
}

function asCells({ table: name, source, target, same }: Comparison): string[] {
  const sums = [source, target].map(({ checksum }) => checksum.slice(0, 16));
  return [name, grouped(source.count), grouped(target.count), ...sums, same ? 'same' : 'DIFFERENT'];
}

async function settle({ target: { end } }: Ends, { tables }: Contents): Promise<void> {
  await end.settle(tables);
  await finish(end);
}

function rowsIn({ counts }: Contents): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The first Ctrl+C lets a piece be finished; a second one ends at once, which does no harm either. */
function stopSignal({ signals }: Terminal, readOnly: boolean): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => controller.abort(new CommandFailed(`\nStopped.${readOnly ? '' : ` ${GO_ON}`}`));
  for (const name of STOP_SIGNALS) signals.once(name, stop);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of STOP_SIGNALS) signals.off(name, stop);
    },
  };
}

function saying(meaning: string): (error: unknown) => never {
  return (error) => {
    throw inWords(error, meaning);
  };
}
