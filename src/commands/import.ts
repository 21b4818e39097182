import { readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { toWireName } from '../api/rest/names.ts';
import type { ImportReport, ImportRow, RowFailure, RowReport } from '../core/administration/operator-import.ts';
import { loadAllOperators } from './all-operators.ts';
import { findCommandLineCaller, withInstallation } from './open.ts';
import { readOperators, toCsv, toJson } from './operator-file.ts';
import { CommandFailed } from './report.ts';
import type { Terminal } from './terminal.ts';

interface ImportOptions {
  readonly apply?: boolean;
  readonly partly?: boolean;
  readonly account?: number;
}

/** Always does a dry run first. `--apply` then imports, all or nothing unless `--partly`. Fails if a row fails. */
export async function importOperators(
  terminal: Terminal,
  file: string,
  { apply = false, partly = false, account }: ImportOptions,
): Promise<void> {
  const format = detectFormat(file);
  const rows = readOperators(
    accessFile(`${file} cannot be read`, () => readFileSync(file)),
    format,
  );
  await withInstallation(terminal, async (installation) => {
    const caller = await findCommandLineCaller(terminal, installation, account);
    const run = (dryRun: boolean) => {
      const onProgress = createProgressPrinter(terminal, dryRun ? 'checked' : 'imported');
      const onHashProgress = dryRun ? undefined : createProgressPrinter(terminal, 'passwords hashed');
      const options = { dryRun, allOrNothing: !partly, onHashProgress, onProgress };
      return installation.administration.imports.run(
        (work) => installation.database.transaction(work, caller.accountId),
        caller,
        rows,
        options,
      );
    };
    const dryRunReport = await run(true);
    const canApply = partly || countFailures(dryRunReport) === 0;
    const report = apply && canApply ? await run(false) : dryRunReport;
    printReport(terminal, rows, report);
    const failed = countFailures(report);
    if (failed === 0) {
      terminal.console.log(
        report.applied ? 'Done.' : 'This was a dry run: nothing was changed. Add --apply to import.',
      );
    } else {
      const outcome = report.applied ? 'the others were imported' : 'nothing was changed';
      const advice = partly
        ? 'Add --apply to import the others.'
        : 'Fix them, or add --partly to import the valid rows.';
      throw new CommandFailed(
        `${failed} of ${rows.length} rows have errors; ${outcome}.${partly && apply ? '' : ` ${advice}`}`,
      );
    }
  });
}

export async function exportOperators(
  terminal: Terminal,
  file: string,
  { account }: { account?: number },
): Promise<void> {
  const format = detectFormat(file);
  await withInstallation(terminal, async (installation) => {
    const { accountId } = await findCommandLineCaller(terminal, installation, account);
    const operators = await loadAllOperators(installation, accountId);
    const content = format === 'csv' ? toCsv(operators) : toJson(operators);
    accessFile(`${file} cannot be written`, () => writeFileSync(file, content, { mode: 0o600 }));
    terminal.console.log(
      `Exported ${operators.length} ${operators.length === 1 ? 'operator' : 'operators'} to ${file}, without passwords and single sign-on keys.`,
    );
  });
}

function accessFile<T>(failure: string, access: () => T): T {
  try {
    return access();
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException;
    if (errno === undefined) throw error;
    throw new CommandFailed(`${failure}: ${getSystemErrorMessage(errno)}.`);
  }
}

function detectFormat(file: string): 'csv' | 'json' {
  const extension = extname(file).toLowerCase();
  if (extension === '.csv') return 'csv';
  if (extension === '.json') return 'json';
  throw new CommandFailed('The file must end in .csv or .json.');
}

/** Prints progress only if stderr is a terminal. */
function createProgressPrinter({ stderr }: Terminal, action: string): (done: number, total: number) => void {
  if (!stderr.isTTY) return () => undefined;
  return (done, total) => stderr.write(`\r${done} of ${total} ${action}${done >= total ? '\n' : ''}`);
}

function countFailures({ rows }: ImportReport): number {
  return rows.filter(({ outcome }) => outcome === 'failed').length;
}

/** Prints the failed rows and a count of each outcome. */
function printReport({ console }: Terminal, rows: readonly ImportRow[], report: ImportReport): void {
  for (const { row, externalId, failure } of report.rows) {
    if (!failure) continue;
    const name = externalId ?? rows[row - 1]?.email ?? 'neither external_id nor email';
    console.log(`row ${row} (${name}): ${describeFailure(failure)}`);
  }
  const count = (expected: RowReport['outcome']) => report.rows.filter(({ outcome }) => outcome === expected).length;
  console.log(
    `created ${count('created')}, updated ${count('updated')}, unchanged ${count('unchanged')}, failed ${count('failed')}`,
  );
}

function describeFailure({ problems, message }: RowFailure): string {
  if (problems.length === 0) return message;
  return problems
    .map(({ path, code, rule }) => {
      const column = path.map((part) => toWireName(String(part))).join('.');
      return code === 'missing' ? `${column} is missing: it ${rule}` : `${column} ${rule}`;
    })
    .join('; ');
}
