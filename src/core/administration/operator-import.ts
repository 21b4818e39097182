import type { Transaction } from '../../storage/database.ts';
import { refuseCommonPassword } from '../access/passwords.ts';
import type { Caller, Commit } from '../kernel/caller.ts';
import { DomainError, type ErrorKind, invalid, invalidField, type Problem } from '../kernel/errors.ts';
import { validate } from '../kernel/validate.ts';
import { type Operator, operatorCreate, operatorUpdate } from '../operators/operator.ts';
import { requireMayImport } from '../operators/permissions.ts';
import { allTargetsOf, type Targets } from '../operators/targets.ts';
import type { OperatorService } from './operator-service.ts';

/** One operator of an import by the names of its fields; `externalId` says who is meant. */
export type ImportRow = Readonly<Record<string, unknown>>;

export interface ImportOptions {
  /** Looks at everything and changes nothing. */
  readonly dryRun: boolean;
  /** One mistake anywhere and nothing is changed; otherwise the good rows are taken. */
  readonly allOrNothing: boolean;
  onProgress?(done: number, total: number): void;
}

export interface RowReport {
  /** Counted from 1. */
  readonly row: number;
  readonly externalId: string | null;
  /** What happened; where nothing was applied, what would have. */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly operatorId: number | null;
  readonly failure: RowFailure | null;
}

export interface RowFailure {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly problems: readonly Problem[];
}

export interface ImportReport {
  /** Whether the good rows were taken. */
  readonly applied: boolean;
  readonly rows: readonly RowReport[];
}

/**
 * So many rows are always one transaction, and one commit. Where the good rows are taken without the bad ones, others
 * who write get their turn after so many.
 */
export const ROWS_OF_ONE_COMMIT = 1000;

const HASHED_AT_ONCE = 2;
const PROGRESS_EVERY = 100;
const NOT_HASHED = 'dry run';

/** A row, and what had to be found out before the transaction. */
interface PreparedRow {
  readonly row: number;
  readonly fields: ImportRow;
  readonly passwordHash?: string;
  readonly refusal?: DomainError;
}

/** What all rows of a transaction share, read once. */
interface Surroundings {
  readonly tx: Transaction;
  readonly caller: Caller;
  readonly known: ReadonlyMap<string, Operator>;
  readonly targets: Targets;
}

/** Thrown to leave a transaction without its changes. */
class NotApplied extends Error {
  readonly report: ImportReport;

  constructor(rows: readonly RowReport[]) {
    super('Nothing was changed.');
    // Nobody has the identifiers of those who were not made in the end.
    this.report = {
      applied: false,
      rows: rows.map((row) => (row.outcome === 'created' ? { ...row, operatorId: null } : row)),
    };
  }
}

/** Makes or changes many operators, each found by the client's own identifier. */
export class OperatorImport {
  readonly #operators: OperatorService;

  constructor(operators: OperatorService) {
    this.#operators = operators;
  }

  /** Calls `commit` once for all rows; or, where good rows are taken without the bad ones, once for each thousand. */
  async run(
    commit: Commit<ImportReport>,
    caller: Caller,
    rows: readonly ImportRow[],
    options: ImportOptions,
  ): Promise<ImportReport> {
    requireMayImport(caller);
    const prepared = await this.#prepare(rows, options);
    const size = options.allOrNothing || options.dryRun ? prepared.length : ROWS_OF_ONE_COMMIT;
    const reports: ImportReport[] = [];
    for (let start = 0; start < prepared.length; start += size) {
      const onProgress = (row: number) => options.onProgress?.(row, rows.length);
      reports.push(await this.#batch(commit, caller, prepared.slice(start, start + size), { ...options, onProgress }));
    }
    return { applied: reports.some(({ applied }) => applied), rows: reports.flatMap((report) => report.rows) };
  }

  async #batch(
    commit: Commit<ImportReport>,
    caller: Caller,
    batch: readonly PreparedRow[],
    { dryRun, allOrNothing, onProgress }: ImportOptions & { onProgress(row: number): void },
  ): Promise<ImportReport> {
    try {
      return await commit(async (tx) => {
        const around = await this.#surroundings(tx, caller, batch);
        const reports: RowReport[] = [];
        for (const prepared of batch) {
          reports.push(await this.#row(around, prepared));
          if (prepared.row % PROGRESS_EVERY === 0 || reports.length === batch.length) onProgress(prepared.row);
        }
        const failed = reports.filter(({ outcome }) => outcome === 'failed').length;
        if (dryRun || failed === batch.length || (allOrNothing && failed > 0)) throw new NotApplied(reports);
        return { applied: true, rows: reports };
      });
    } catch (error) {
      if (error instanceof NotApplied) return error.report;
      throw error;
    }
  }

  /** No operator is in two rows, so what was read at the beginning stays true until its row comes. */
  async #surroundings(tx: Transaction, caller: Caller, batch: readonly PreparedRow[]): Promise<Surroundings> {
    const externalIds = batch.flatMap(({ fields, refusal }) => (refusal ? [] : [fields.externalId as string]));
    return {
      tx,
      caller,
      known: await this.#operators.withExternalIds(tx, caller.accountId, externalIds),
      targets: await allTargetsOf(tx, caller.accountId),
    };
  }

  /** A mistake in a row is found before anything of it is written, so the transaction goes on without it. */
  async #row({ tx, caller, known, targets }: Surroundings, prepared: PreparedRow): Promise<RowReport> {
    const { row, fields, passwordHash, refusal } = prepared;
    const externalId = typeof fields.externalId === 'string' ? fields.externalId : null;
    const report = { row, externalId, failure: null };
    try {
      if (refusal) throw refusal;
      const before = known.get(externalId ?? '');
      if (!before) {
        const input = validate(operatorCreate, fields);
        const made = await this.#operators.createWithin(tx, caller, input, passwordHash, targets);
        return { ...report, outcome: 'created', operatorId: made.id };
      }
      const input = validate(operatorUpdate, fields);
      const { isChanged } = await this.#operators.updateWithin(tx, caller, before, input, passwordHash, targets);
      return { ...report, outcome: isChanged ? 'updated' : 'unchanged', operatorId: before.id };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { ...report, outcome: 'failed', operatorId: null, failure: failureOf(error) };
    }
  }

  /** Hashing is slow, so it comes before the transaction; what is refused without the database, too. */
  async #prepare(rows: readonly ImportRow[], { dryRun }: ImportOptions): Promise<PreparedRow[]> {
    const firstRows = new Map<unknown, number>();
    const prepare = async (fields: ImportRow, index: number): Promise<PreparedRow> => {
      const row = index + 1;
      try {
        requireOwnIdentifier(fields, row, firstRows);
        if (fields.password === undefined) return { row, fields };
        return { row, fields, passwordHash: await this.#hash(fields, dryRun) };
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
        return { row, fields, refusal: error };
      }
    };
    const prepared: PreparedRow[] = [];
    for (let start = 0; start < rows.length; start += HASHED_AT_ONCE) {
      const some = rows.slice(start, start + HASHED_AT_ONCE);
      prepared.push(...(await Promise.all(some.map((fields, index) => prepare(fields, start + index)))));
    }
    return prepared;
  }

  async #hash(fields: ImportRow, dryRun: boolean): Promise<string> {
    const { password = '', email = '' } = validate(operatorUpdate, fields); // before the work of a hash
    if (!dryRun) return (await this.#operators.hashPassword(password, email)) as string;
    await refuseCommonPassword(password, email);
    return NOT_HASHED;
  }
}

/** A row without an identifier means nobody, and a second one for the same operator contradicts the first. */
function requireOwnIdentifier({ externalId }: ImportRow, row: number, firstRows: Map<unknown, number>): void {
  if (externalId === undefined || externalId === null || externalId === '') {
    throw invalid([{ path: ['externalId'], code: 'missing', rule: 'says who is meant' }]);
  }
  if (typeof externalId !== 'string') validate(operatorUpdate, { externalId });
  const first = firstRows.get(externalId);
  if (first !== undefined) throw invalidField('externalId', `must not be repeated: row ${first} has the same`);
  firstRows.set(externalId, row);
}

function failureOf({ kind, message, details }: DomainError): RowFailure {
  const text = kind === 'forbidden' ? 'You may not make such an operator, or not change this one so.' : message;
  return { kind, message: text, problems: details.problems ?? [] };
}
