import type { Transaction } from '../../storage/database.ts';
import { requireClient } from '../access/hash-queue.ts';
import { foldEmail } from '../access/logins.ts';
import { rejectCommonPassword } from '../access/password-rules.ts';
import type { Caller, Commit } from '../kernel/caller.ts';
import { DomainError, type ErrorKind, invalid, invalidField, type Problem } from '../kernel/errors.ts';
import { isStorable } from '../kernel/text.ts';
import { validate } from '../kernel/validate.ts';
import { type Operator, operatorCreate, operatorUpdate } from '../operators/operator.ts';
import { requireCanImport } from '../operators/permissions.ts';
import { preloadTargetLookup, type TargetLookup } from '../operators/targets.ts';
import type { OperatorService } from './operator-service.ts';

/** One operator to import, by field name; identified by `externalId`, or by `email` if it has none. */
export type ImportRow = Readonly<Record<string, unknown>>;

export interface ImportOptions {
  /** Checks every row and changes nothing. */
  readonly dryRun: boolean;
  /** Whether one invalid row prevents all changes. If false, the valid rows are imported. */
  readonly allOrNothing: boolean;
  /** Aborted when the client has disconnected: the next password is not hashed, and nothing is changed. */
  readonly signal?: AbortSignal | undefined;
  /** Passwords are hashed before the first row is imported, which takes most of the time. */
  readonly onHashProgress?: ((done: number, total: number) => void) | undefined;
  onProgress?(done: number, total: number): void;
}

export interface RowReport {
  /** Counted from 1. */
  readonly row: number;
  readonly externalId: string | null;
  /** The outcome; if nothing was applied, what it would have been. */
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
  /** Whether the valid rows were imported. */
  readonly applied: boolean;
  readonly rows: readonly RowReport[];
}

/**
 * Imports up to this size are always one transaction. Larger ones that skip invalid rows commit in batches of this
 * size, so that other writers are not blocked.
 */
export const MAX_ROWS_PER_COMMIT = 1000;

/** On each node. An account's imports take turns with those of other accounts, but each holds its rows in memory. */
const MAX_IMPORTS_PER_ACCOUNT = 4;
const RETRY_AFTER_SECONDS = 10;
const PROGRESS_INTERVAL = 100;
const DRY_RUN_HASH = 'dry run';

/** A row with the results of the work done before the transaction. */
interface PreparedRow {
  readonly row: number;
  readonly fields: ImportRow;
  readonly passwordHash?: string;
  readonly rejection?: DomainError;
}

interface ExistingOperators {
  readonly byExternalId: ReadonlyMap<string, Operator>;
  /** By folded e-mail. */
  readonly byEmail: ReadonlyMap<string, Operator>;
}

/** Shared by all rows of a transaction, read once. */
interface ImportContext {
  readonly tx: Transaction;
  readonly caller: Caller;
  readonly existing: ExistingOperators;
  /** The rows of the operators that are already processed. */
  readonly rowsByOperator: Map<number, number>;
  readonly targets: TargetLookup;
}

/** Thrown to roll back the transaction. */
class NotApplied extends Error {
  readonly report: ImportReport;

  constructor(rows: readonly RowReport[]) {
    super('Nothing was changed.');
    // Identifiers of operators that were rolled back do not exist.
    this.report = {
      applied: false,
      rows: rows.map((row) => (row.outcome === 'created' ? { ...row, operatorId: null } : row)),
    };
  }
}

/** Creates or updates many operators, found by their external identifier, or by e-mail in rows without one. */
export class OperatorImport {
  readonly #operators: OperatorService;
  readonly #runningByAccount = new Map<number, number>();

  constructor(operators: OperatorService) {
    this.#operators = operators;
  }

  /** Calls `commit` once for all rows, or once per `MAX_ROWS_PER_COMMIT` rows when invalid rows are skipped. */
  async run(
    commit: Commit<ImportReport>,
    caller: Caller,
    rows: readonly ImportRow[],
    options: ImportOptions,
  ): Promise<ImportReport> {
    requireCanImport(caller);
    const running = this.#countRunning(caller, 1);
    try {
      if (running > MAX_IMPORTS_PER_ACCOUNT) throw tooManyImports();
      return await this.#run(commit, caller, rows, options);
    } finally {
      this.#countRunning(caller, -1);
    }
  }

  #countRunning({ accountId }: Caller, change: 1 | -1): number {
    const running = (this.#runningByAccount.get(accountId) ?? 0) + change;
    if (running > 0) this.#runningByAccount.set(accountId, running);
    else this.#runningByAccount.delete(accountId);
    return running;
  }

  async #run(
    commit: Commit<ImportReport>,
    caller: Caller,
    rows: readonly ImportRow[],
    options: ImportOptions,
  ): Promise<ImportReport> {
    const prepared = await this.#prepare(caller, rows, options);
    requireClient(options.signal); // it may have disconnected during the last hash
    const size = options.allOrNothing || options.dryRun ? prepared.length : MAX_ROWS_PER_COMMIT;
    const reports: ImportReport[] = [];
    for (let start = 0; start < prepared.length; start += size) {
      const onProgress = (row: number) => options.onProgress?.(row, rows.length);
      reports.push(
        await this.#importBatch(commit, caller, prepared.slice(start, start + size), { ...options, onProgress }),
      );
    }
    return { applied: reports.some(({ applied }) => applied), rows: reports.flatMap((report) => report.rows) };
  }

  async #importBatch(
    commit: Commit<ImportReport>,
    caller: Caller,
    batch: readonly PreparedRow[],
    { dryRun, allOrNothing, onProgress }: ImportOptions & { onProgress(row: number): void },
  ): Promise<ImportReport> {
    try {
      return await commit(async (tx) => {
        const context = await this.#loadContext(tx, caller, batch);
        const reports: RowReport[] = [];
        for (const prepared of batch) {
          reports.push(await this.#importRow(context, prepared));
          if (prepared.row % PROGRESS_INTERVAL === 0 || reports.length === batch.length) onProgress(prepared.row);
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

  /** No operator is in two rows, so the operators read here stay current until their row is processed. */
  async #loadContext(tx: Transaction, caller: Caller, batch: readonly PreparedRow[]): Promise<ImportContext> {
    const identities = batch.flatMap(({ fields, rejection }) => (rejection ? [] : [getIdentity(fields)]));
    const externalIds = identities.flatMap(({ externalId }) => externalId ?? []);
    const emails = identities.flatMap(({ externalId, email }) => (externalId === undefined ? (email ?? []) : []));
    return {
      tx,
      caller,
      existing: {
        byExternalId: await this.#operators.findByExternalIds(tx, caller.accountId, externalIds),
        byEmail: await this.#operators.findByEmails(tx, caller.accountId, emails),
      },
      rowsByOperator: new Map(),
      targets: await preloadTargetLookup(tx, caller.accountId),
    };
  }

  /** A row is validated before any write, so the transaction can continue without an invalid one. */
  async #importRow(context: ImportContext, prepared: PreparedRow): Promise<RowReport> {
    const { tx, caller, targets } = context;
    const { row, fields, passwordHash, rejection } = prepared;
    const externalId = typeof fields.externalId === 'string' ? fields.externalId : null;
    const report = { row, externalId, failure: null };
    try {
      if (rejection) throw rejection;
      const before = findExisting(context, prepared);
      if (!before) {
        const input = validate(operatorCreate, fields);
        const operator = await this.#operators.createInTransaction(tx, caller, input, passwordHash, targets);
        return { ...report, outcome: 'created', operatorId: operator.id };
      }
      const input = validate(operatorUpdate, fields);
      const { isChanged } = await this.#operators.updateInTransaction(tx, caller, before, input, passwordHash, targets);
      return { ...report, outcome: isChanged ? 'updated' : 'unchanged', operatorId: before.id };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { ...report, outcome: 'failed', operatorId: null, failure: toFailure(error) };
    }
  }

  /** Before the transaction: hashes passwords, which is slow, and runs the checks that need no database. */
  async #prepare(caller: Caller, rows: readonly ImportRow[], options: ImportOptions): Promise<PreparedRow[]> {
    const firstRows = new Map<unknown, number>();
    const prepared: PreparedRow[] = [];
    for (const [index, row] of rows.entries()) {
      const fields = withoutEmptyExternalId(row);
      prepared.push(await this.#prepareRow(caller, { row: index + 1, fields }, firstRows, options));
      if (fields.password !== undefined) options.onHashProgress?.(prepared.length, rows.length);
    }
    return prepared;
  }

  async #prepareRow(
    caller: Caller,
    { row, fields }: PreparedRow,
    firstRows: Map<unknown, number>,
    options: ImportOptions,
  ): Promise<PreparedRow> {
    try {
      requireUniqueIdentity(fields, row, firstRows);
      if (fields.password === undefined) return { row, fields };
      return { row, fields, passwordHash: await this.#hash(caller, fields, options) };
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
      return { row, fields, rejection: error };
    }
  }

  async #hash(caller: Caller, fields: ImportRow, { dryRun, signal }: ImportOptions): Promise<string> {
    const { password = '', email = '' } = validate(operatorUpdate, fields); // before the expensive hash
    if (!dryRun) return this.#operators.hashImportedPassword(caller, { password, email }, signal);
    await rejectCommonPassword(password, email);
    return DRY_RUN_HASH;
  }
}

/** Undefined for a new operator. Rejects a second row of the same operator. */
function findExisting({ existing, rowsByOperator }: ImportContext, { row, fields }: PreparedRow): Operator | undefined {
  const { externalId, email } = getIdentity(fields);
  const operator =
    externalId === undefined ? existing.byEmail.get(foldEmail(email ?? '')) : existing.byExternalId.get(externalId);
  if (!operator) return undefined;
  const first = rowsByOperator.get(operator.id);
  if (first !== undefined) throw invalidField('email', `must not be repeated: row ${first} is the same operator`);
  rowsByOperator.set(operator.id, row);
  return operator;
}

/** Of a row that passed `requireUniqueIdentity`. */
function getIdentity(fields: ImportRow): { externalId?: string; email?: string } {
  return fields as { externalId?: string; email?: string };
}

function requireUniqueIdentity(fields: ImportRow, row: number, firstRows: Map<unknown, number>): void {
  const { externalId, email } = fields;
  const [name, value] = externalId === undefined ? (['email', email] as const) : (['externalId', externalId] as const);
  if (value === undefined || value === null || value === '') {
    throw invalid([{ path: ['externalId'], code: 'missing', rule: 'or email identifies the operator' }]);
  }
  // Before the lookup: PostgreSQL rejects a statement with such text.
  if (typeof value !== 'string' || !isStorable(value)) validate(operatorUpdate, { [name]: value });
  const key = `${name} ${name === 'email' ? foldEmail(value as string) : value}`;
  const first = firstRows.get(key);
  if (first !== undefined) throw invalidField(name, `must not be repeated: row ${first} has the same`);
  firstRows.set(key, row);
}

/** An empty identifier is the same as none: it does not remove the one that the operator has. */
function withoutEmptyExternalId({ externalId, ...fields }: ImportRow): ImportRow {
  return externalId === undefined || externalId === null || externalId === '' ? fields : { externalId, ...fields };
}

function toFailure({ kind, message, details }: DomainError): RowFailure {
  const text = kind === 'forbidden' ? 'You are not allowed to create or change this operator.' : message;
  return { kind, message: text, problems: details.problems ?? [] };
}

function tooManyImports(): DomainError {
  const message = `At most ${MAX_IMPORTS_PER_ACCOUNT} imports of an account can run concurrently. Try again when one has ended.`;
  return new DomainError('limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
