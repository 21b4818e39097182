import { readConfig } from '../config.ts';
import {
  type CopyContents,
  type CopyEndpoints,
  compareTables,
  copyRemaining,
  prepareTarget,
  readContents,
} from '../storage/copy/copy-installation.ts';
import { markFinished } from '../storage/copy/copy-progress.ts';
import { listInstallationTables } from '../storage/copy/installation-tables.ts';
import type { Comparison } from '../storage/copy/verify.ts';
import {
  type DatabaseAddress,
  migrateEndpoint,
  openEndpoint,
  parseAddress,
  requireDifferentDatabases,
  toCommandFailure,
} from './copy-endpoints.ts';
import { CopyProgress, formatCount, formatRate, formatSeconds } from './copy-progress.ts';
import { buildSecretAdvice } from './copy-secret.ts';
import { CommandFailed } from './report.ts';
import { formatTable } from './table.ts';
import { STOP_SIGNALS, type Terminal } from './terminal.ts';

interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly verify?: boolean;
  readonly beginAgain?: boolean;
  readonly ignoreConnections?: boolean;
}

const RESUME_HINT = 'Run the same command again to continue where it stopped.';

/** Copies a whole installation to another database, or resumes a copy. The source is never changed. */
export async function copy(terminal: Terminal, options: CopyOptions): Promise<void> {
  const from = parseAddress('--from', options.from);
  const to = parseAddress('--to', options.to);
  requireDifferentDatabases(from, to);
  const { SWITCHBOARD_SECRET: secret } = readConfig({ ...terminal.env, DATABASE_URL: undefined });
  const { verify: readOnly = false, ignoreConnections = false } = options;
  const source = await openEndpoint(from, { readOnly: true, ignoreConnections });
  try {
    const contents = await readContents(source, listInstallationTables()).catch(
      failWith(`${from.name} cannot be read`),
    );
    const target = await openEndpoint(to, { readOnly, ignoreConnections });
    const { signal, release: removeListeners } = listenForStop(terminal, readOnly);
    try {
      const { console } = terminal;
      console.log(`From ${from.name} to ${to.name}: ${formatCount(countRows(contents))} rows.`);
      const endpoints = { source, target };
      if (!readOnly)
        await copyRows(terminal, endpoints, contents, { to, beginAgain: options.beginAgain ?? false, signal });
      await verify(terminal, endpoints, contents, {
        signal,
        advice: readOnly ? '' : ' It cannot be used: add --begin-again to restart the copy.',
      });
      if (readOnly) return;
      await finishCopy(endpoints, contents).catch(failWith('The copy cannot be finished'));
      console.log(`The copy is complete. ${from.name} is unchanged.`);
      console.log(await buildSecretAdvice(target.endpoint, { from, to }, secret));
    } finally {
      removeListeners();
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyRows(
  { console, stdout }: Terminal,
  endpoints: CopyEndpoints,
  contents: CopyContents,
  {
    to,
    beginAgain,
    signal,
  }: { readonly to: DatabaseAddress; readonly beginAgain: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const copiedTables = await prepareTarget(endpoints.target, contents, {
    ...{ beginAgain, now: Date.now() },
    migrate: () => migrateEndpoint(to),
  }).catch(failWith(`${to.name} cannot be prepared`));
  const existingRows = [...copiedTables.values()].reduce((sum, { rows }) => sum + rows, 0);
  if (existingRows > 0) console.log(`Resuming a copy: ${formatCount(existingRows)} rows have already been copied.`);
  const progress = new CopyProgress(stdout, countRows(contents), signal, { showEachTable: true });
  await copyRemaining(endpoints, contents, copiedTables, progress).catch((error) => {
    throw toCommandFailure(
      error,
      `The copy stopped at the table ${progress.tableName}. Fix the cause and run the same command again`,
    );
  });
  progress.end();
  const { rowsDone, elapsedMs } = progress;
  console.log(
    `Copied ${formatCount(rowsDone)} rows in ${formatSeconds(elapsedMs)} (${formatRate(rowsDone, elapsedMs)}).\n`,
  );
}

/** Compares row counts and checksums of both databases, table by table. */
async function verify(
  { console, stdout }: Terminal,
  endpoints: CopyEndpoints,
  contents: CopyContents,
  { signal, advice }: { readonly signal: AbortSignal; readonly advice: string },
): Promise<void> {
  const progress = new CopyProgress(stdout, countRows(contents), signal, { showEachTable: false });
  const comparisons = await compareTables(endpoints, contents, progress).catch((error) => {
    throw toCommandFailure(error, `The table ${progress.tableName} cannot be compared`);
  });
  progress.end();
  console.log(`Compared ${formatCount(progress.rowsDone)} rows in ${formatSeconds(progress.elapsedMs)}.\n`);
  console.log(
    formatTable(['table', 'rows', 'rows in copy', 'checksum', 'checksum in copy', ''], comparisons.map(toCells)),
  );
  const different = comparisons.filter(({ isSame }) => !isSame).map((comparison) => comparison.table);
  if (different.length > 0) {
    throw new CommandFailed(`The copy differs from the source in: ${different.join(', ')}.${advice}`);
  }
  console.log('\nBoth databases have the same contents.');
}

function toCells({ table: name, source, target, isSame }: Comparison): string[] {
  const sums = [source, target].map(({ checksum }) => checksum.slice(0, 16));
  return [name, formatCount(source.count), formatCount(target.count), ...sums, isSame ? 'same' : 'DIFFERENT'];
}

async function finishCopy({ target: { endpoint } }: CopyEndpoints, { tables }: CopyContents): Promise<void> {
  await endpoint.finalize(tables);
  await markFinished(endpoint);
}

function countRows({ counts }: CopyContents): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The first Ctrl+C finishes the current batch; a second one stops immediately, which is safe too. */
function listenForStop({ signals }: Terminal, readOnly: boolean): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => controller.abort(new CommandFailed(`\nStopped.${readOnly ? '' : ` ${RESUME_HINT}`}`));
  for (const name of STOP_SIGNALS) signals.once(name, stop);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of STOP_SIGNALS) signals.off(name, stop);
    },
  };
}

function failWith(summary: string): (error: unknown) => never {
  return (error) => {
    throw toCommandFailure(error, summary);
  };
}
