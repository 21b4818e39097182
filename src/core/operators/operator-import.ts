import type { Database, Transaction } from '../../storage/database.ts';
import type { Caller } from '../caller.ts';
import { DomainError, type Problem } from '../errors.ts';
import { validate } from '../validate.ts';
import { operatorCreate, operatorUpdate } from './operator.ts';
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
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly operatorId: number | null;
  readonly message: string | null;
  readonly problems: readonly Problem[];
}

export interface ImportReport {
  readonly applied: boolean;
  readonly rows: readonly RowReport[];
}

/** Rows of one transaction, where good rows are taken without the bad ones. */
const BATCH = 500;

/** Thrown to leave a transaction without its changes. */
class NotApplied extends Error {}

/** Makes or changes many operators, each found by the client's own identifier. */
export class OperatorImport {
  readonly #database: Database;
  readonly #operators: OperatorService;

  constructor(database: Database, operators: OperatorService) {
    this.#database = database;
    this.#operators = operators;
  }

  async run(caller: Caller, rows: readonly ImportRow[], options: ImportOptions): Promise<ImportReport> {
    const reports: RowReport[] = [];
    const prepared = await this.#withPasswords(rows);
    const size = options.allOrNothing || options.dryRun ? Math.max(1, rows.length) : BATCH;
    let applied = !options.dryRun;
    for (let start = 0; start < prepared.length; start += size) {
      const batch = prepared.slice(start, start + size);
      const done = await this.#batch(caller, batch, start, reports, options);
      applied &&= done;
    }
    return { applied, rows: reports };
  }

  async #batch(
    caller: Caller,
    batch: readonly PreparedRow[],
    start: number,
    reports: RowReport[],
    options: ImportOptions,
  ): Promise<boolean> {
    try {
      await this.#database.transaction(async (tx) => {
        for (const [index, row] of batch.entries()) {
          reports.push({ ...(await this.#row(tx, caller, row)), row: start + index + 1 });
          if (reports.length % 100 === 0) options.onProgress?.(reports.length, start + batch.length);
        }
        const failed = reports.slice(start).some((report) => report.outcome === 'failed');
        if (options.dryRun || (options.allOrNothing && failed)) throw new NotApplied();
      });
      return true;
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error;
      return false;
    }
  }

  /** A mistake in a row is found before anything of it is written, so the transaction goes on without it. */
  async #row(
    tx: Transaction,
    caller: Caller,
    { fields, passwordHash, refusal }: PreparedRow,
  ): Promise<Omit<RowReport, 'row'>> {
    const externalId = typeof fields.externalId === 'string' ? fields.externalId : null;
    const report = (outcome: RowReport['outcome'], operatorId: number | null) =>
      ({ externalId, outcome, operatorId, message: null, problems: [] }) as const;
    try {
      if (refusal) throw refusal;
      if (externalId === null || externalId === '') {
        throw new DomainError('invalid', 'The input is not valid.', {
          problems: [{ path: ['externalId'], code: 'missing', rule: 'says who is meant' }],
        });
      }
      const known = await this.#operators.findByExternalId(tx, caller.accountId, externalId);
      if (known === undefined) {
        const made = await this.#operators.createWithin(tx, caller, validate(operatorCreate, fields), passwordHash);
        return report('created', made.id);
      }
      const input = validate(operatorUpdate, fields);
      const changed = await this.#operators.updateWithin(tx, caller, known, input, passwordHash);
      return report(changed.isChanged ? 'updated' : 'unchanged', known);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return {
        externalId,
        outcome: 'failed',
        operatorId: null,
        message: error.message,
        problems: error.details.problems ?? [],
      };
    }
  }

  /** Hashing is slow, so it comes before the transaction. A password that is refused makes its row fail. */
  async #withPasswords(rows: readonly ImportRow[]): Promise<PreparedRow[]> {
    const prepared: PreparedRow[] = [];
    for (const fields of rows) {
      const { password, email } = fields;
      if (typeof password !== 'string' || password === '') {
        prepared.push({ fields });
        continue;
      }
      try {
        const hash = await this.#operators.hashPassword(password, typeof email === 'string' ? email : '');
        prepared.push({ fields, ...(hash === undefined ? {} : { passwordHash: hash }) });
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        prepared.push({ fields, refusal: error });
      }
    }
    return prepared;
  }
}

interface PreparedRow {
  readonly fields: ImportRow;
  readonly passwordHash?: string;
  readonly refusal?: DomainError;
}
