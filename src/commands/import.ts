import { readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { wirePath } from '../api/rest/names.ts';
import type { RowReport } from '../core/operators/operator-import.ts';
import type { Installation } from '../installation.ts';
import { commandLineCaller, withInstallation } from './open.ts';
import { readOperators, toCsv, toJson } from './operator-file.ts';
import { CommandFailed } from './report.ts';

interface ImportOptions {
  readonly apply?: boolean;
  readonly partly?: boolean;
  readonly account?: number;
}

/** Always a dry run first; `--apply` then does it, all or nothing unless `--partly`. */
export async function importOperators(
  file: string,
  { apply = false, partly = false, account }: ImportOptions,
): Promise<void> {
  const rows = readOperators(readFileSync(file, 'utf8'), formatOf(file));
  await withInstallation(async (installation) => {
    const caller = await commandLineCaller(installation, account);
    const run = (dryRun: boolean) =>
      installation.imports.run(caller, rows, {
        dryRun,
        allOrNothing: !partly,
        onProgress: progress(dryRun ? 'checked' : 'imported'),
      });
    const trial = await run(true);
    const failed = show(trial.rows);
    if (failed > 0 && !partly) {
      throw new CommandFailed(
        `${failed} of ${rows.length} rows have mistakes; nothing was changed. Mend them, or take the good rows with --partly.`,
      );
    }
    if (!apply) {
      console.log('This was a dry run: nothing was changed. Add --apply to do it.');
      return;
    }
    const done = await run(false);
    console.log(done.applied ? 'Done.' : 'Nothing was changed.');
    show(done.rows, { quiet: true });
  });
}

export async function exportOperators(file: string, { account }: { account?: number }): Promise<void> {
  const format = formatOf(file);
  await withInstallation(async (installation) => {
    const { accountId } = await commandLineCaller(installation, account);
    const operators = await allOperators(installation, accountId);
    writeFileSync(file, format === 'csv' ? toCsv(operators) : toJson(operators), { mode: 0o600 });
    console.log(`${operators.length} operators are in ${file}. Passwords and single sign-on keys are not.`);
  });
}

async function allOperators({ operators }: Installation, accountId: number) {
  const all = [];
  for (let after: number | undefined; ; ) {
    const { rows, hasNext } = await operators.slices.ofAccount(accountId, {}, { limit: 500, after, backwards: false });
    all.push(...(await operators.load(accountId, rows)));
    if (!hasNext) return all.reverse();
    after = rows.at(-1);
  }
}

function formatOf(file: string): 'csv' | 'json' {
  const ending = extname(file).toLowerCase();
  if (ending === '.csv') return 'csv';
  if (ending === '.json') return 'json';
  throw new CommandFailed('The file must end in .csv or .json.');
}

function progress(what: string): (done: number, total: number) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return (done, total) => process.stderr.write(`\r${done} of ${total} ${what}${done >= total ? '\n' : ''}`);
}

/** Tells what happened to the rows, and answers with the number of those that failed. */
function show(rows: readonly RowReport[], { quiet = false } = {}): number {
  const count = (outcome: RowReport['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  for (const row of quiet ? [] : rows.filter(({ outcome }) => outcome === 'failed')) {
    const reasons =
      row.problems.length > 0
        ? row.problems.map(({ path, rule }) => `${wirePath(path)} ${rule}`).join('; ')
        : row.message;
    console.log(`row ${row.row} (${row.externalId ?? 'no external_id'}): ${reasons}`);
  }
  console.log(
    `created ${count('created')}, updated ${count('updated')}, unchanged ${count('unchanged')}, failed ${count('failed')}`,
  );
  return count('failed');
}
