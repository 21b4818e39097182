import { readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { wireName } from '../api/rest/names.ts';
import type { Installation } from '../app/installation.ts';
import type { ImportReport, RowFailure, RowReport } from '../core/administration/operator-import.ts';
import { commandLineCaller, withInstallation } from './open.ts';
import { readOperators, toCsv, toJson } from './operator-file.ts';
import { CommandFailed } from './report.ts';
import type { Terminal } from './terminal.ts';

interface ImportOptions {
  readonly apply?: boolean;
  readonly partly?: boolean;
  readonly account?: number;
}

/** Always a dry run first; `--apply` then does it, all or nothing unless `--partly`. Ends with 1 when a row fails. */
export async function importOperators(
  terminal: Terminal,
  file: string,
  { apply = false, partly = false, account }: ImportOptions,
): Promise<void> {
  const rows = readOperators(readFileSync(file), formatOf(file));
  await withInstallation(terminal, async (installation) => {
    const caller = await commandLineCaller(installation, account);
    const run = (dryRun: boolean) => {
      const onProgress = progress(terminal, dryRun ? 'checked' : 'imported');
      const options = { dryRun, allOrNothing: !partly, onProgress };
      return installation.administration.imports.run(
        (work) => installation.database.transaction(work, caller.accountId),
        caller,
        rows,
        options,
      );
    };
    const trial = await run(true);
    const mayApply = partly || failuresIn(trial) === 0;
    const report = apply && mayApply ? await run(false) : trial;
    show(terminal, report);
    const failed = failuresIn(report);
    if (failed === 0) {
      terminal.console.log(
        report.applied ? 'Done.' : 'This was a dry run: nothing was changed. Add --apply to do what it says.',
      );
    } else {
      const outcome = report.applied ? 'the others were taken' : 'nothing was changed';
      const advice = partly ? 'Add --apply to take the others.' : 'Mend them, or take the good rows with --partly.';
      throw new CommandFailed(
        `${failed} of ${rows.length} rows have mistakes; ${outcome}.${partly && apply ? '' : ` ${advice}`}`,
      );
    }
  });
}

export async function exportOperators(
  terminal: Terminal,
  file: string,
  { account }: { account?: number },
): Promise<void> {
  const format = formatOf(file);
  await withInstallation(terminal, async (installation) => {
    const { accountId } = await commandLineCaller(installation, account);
    const operators = await allOperators(installation, accountId);
    writeFileSync(file, format === 'csv' ? toCsv(operators) : toJson(operators), { mode: 0o600 });
    terminal.console.log(`${operators.length} operators are in ${file}. Passwords and single sign-on keys are not.`);
    const nameless = operators.filter(({ externalId }) => externalId === null).length;
    if (nameless > 0) {
      terminal.console.log(
        `${nameless} of them ${nameless === 1 ? 'has' : 'have'} no external_id: an import cannot find them again and refuses their rows.`,
      );
    }
  });
}

async function allOperators({ administration: { operatorQuery } }: Installation, accountId: number) {
  const all = [];
  for (let after: number | undefined; ; ) {
    const { rows, hasNext } = await operatorQuery.slice(accountId, {}, { limit: 500, after, backwards: false });
    all.push(...rows);
    if (!hasNext) return all.reverse();
    after = rows.at(-1)?.id;
  }
}

function formatOf(file: string): 'csv' | 'json' {
  const ending = extname(file).toLowerCase();
  if (ending === '.csv') return 'csv';
  if (ending === '.json') return 'json';
  throw new CommandFailed('The file must end in .csv or .json.');
}

/** For whoever looks on: a terminal, and not a file or another program. */
function progress({ stderr }: Terminal, what: string): (done: number, total: number) => void {
  if (!stderr.isTTY) return () => undefined;
  return (done, total) => stderr.write(`\r${done} of ${total} ${what}${done >= total ? '\n' : ''}`);
}

function failuresIn({ rows }: ImportReport): number {
  return rows.filter(({ outcome }) => outcome === 'failed').length;
}

/** Why rows failed, and how many did not. */
function show({ console }: Terminal, report: ImportReport): void {
  for (const { row, externalId, failure } of report.rows) {
    if (failure) console.log(`row ${row} (${externalId ?? 'no external_id'}): ${reasonsOf(failure)}`);
  }
  const count = (wanted: RowReport['outcome']) => report.rows.filter(({ outcome }) => outcome === wanted).length;
  console.log(
    `created ${count('created')}, updated ${count('updated')}, unchanged ${count('unchanged')}, failed ${count('failed')}`,
  );
}

function reasonsOf({ problems, message }: RowFailure): string {
  if (problems.length === 0) return message;
  return problems
    .map(({ path, code, rule }) => {
      const column = path.map((part) => wireName(String(part))).join('.');
      return code === 'missing' ? `${column} is missing: it ${rule}` : `${column} ${rule}`;
    })
    .join('; ');
}
