import { CamelCasePlugin, type Compilable, type Expression, Kysely, type SqlBool, sql } from 'kysely';
import postgres from 'postgres';
import type { Clock, Database, HotQuery, NewEvent, Transaction } from './database.ts';
import { inTime, TooLate } from './deadline.ts';
import { AlreadyThere, DatabaseUnavailable, ReadTooSlow } from './errors.ts';
import { appendEvents } from './event-log.ts';
import { CompiledStatements, filledIn, placeholder } from './hot-statement.ts';
import { checked } from './parameters.ts';
import { type Answer, type Execute, postgresDialect } from './postgres-dialect.ts';
import { Notifications } from './postgres-notifications.ts';
import type { Tables } from './tables.ts';
import { Turns } from './turns.ts';

export interface PostgresOptions {
  /** Another clock than the database's own, for tests. */
  readonly clock?: Clock;
  readonly slowReadMs?: number;
  /** A statement that takes longer is given up: a frozen server says nothing at all. */
  readonly statementMs?: number;
  readonly connections?: number;
}

/** Waiting for others of the same account is no fault of the server. */
const LOCK_MS = 5000;

const EPOCH_MS = '(extract(epoch from statement_timestamp()) * 1000)::bigint';
const NOW_MS = `create or replace function now_ms() returns bigint language sql stable as 'select ${EPOCH_MS}'`;

/** The database of one node or of many. What only one of them may do is decided by it, and never by a node. */
export class PostgresDatabase implements Database {
  readonly columnWords = { orderedText: 'text collate "C"' };
  readonly prelude = [NOW_MS];
  readonly read: Kysely<Tables>;
  readonly #sql: postgres.Sql;
  readonly #reader: postgres.Sql;
  readonly #clock: Clock | undefined;
  readonly #statementMs: number;
  readonly #slowReadMs: number;
  readonly #compiled: CompiledStatements;
  readonly #notifications: Notifications;
  readonly #turns = new Turns();
  #closed = false;

  constructor(url: string, options: PostgresOptions = {}) {
    this.#clock = options.clock;
    this.#statementMs = options.statementMs ?? 900;
    this.#slowReadMs = options.slowReadMs ?? 2000;
    const connections = options.connections ?? 10;
    this.#sql = connect(url, connections, {});
    this.#reader = connect(url, connections, { default_transaction_read_only: true });
    this.read = new Kysely<Tables>({
      dialect: postgresDialect(this.#on(this.#reader)),
      plugins: [new CamelCasePlugin()],
    });
    this.#compiled = new CompiledStatements(this.read);
    this.#notifications = new Notifications(this.#sql);
  }

  /** The changes of an account wait here for those of this node, and in the database for those of the others. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, accountId?: number): Promise<T> {
    if (accountId === undefined) return this.#perform(work, undefined);
    return this.#turns.take(accountId, () => this.#perform(work, accountId));
  }

  async #perform<T>(work: (tx: Transaction) => Promise<T>, accountId: number | undefined): Promise<T> {
    if (this.#closed) throw new DatabaseUnavailable('The database is closed.');
    const session = await this.#reserve();
    const execute = this.#on(session);
    const events: NewEvent[] = [];
    let committing = false;
    try {
      await execute('begin', []);
      // The one place where changes of an account wait for each other; what follows sees all that was done before.
      if (accountId !== undefined)
        await this.#on(session, LOCK_MS)('select pg_advisory_xact_lock($1::bigint)', [accountId]);
      const tx: Transaction = {
        db: new Kysely<Tables>({ dialect: postgresDialect(execute), plugins: [new CamelCasePlugin()] }),
        now: await this.#now(execute),
        run: (statement, args) => this.#compiled.run(execute, statement, args),
        emit: (event) => events.push(event),
      };
      const value = await work(tx);
      await appendEvents(tx, events);
      committing = true;
      await execute('commit', []);
      session.release();
      this.#notifications.send(new Set(events.map((event) => event.accountId)));
      return value;
    } catch (error) {
      // Queued behind whatever is still running; the connection is free again when both are done.
      session.unsafe('rollback').then(
        () => session.release(),
        () => session.release(),
      );
      if (!committing || !(error instanceof DatabaseUnavailable)) throw error;
      throw new DatabaseUnavailable('The change could not be stored.', { cause: error, outcomeUnknown: true });
    }
  }

  hot<Row, Args extends readonly unknown[]>(
    build: (db: Kysely<Tables>, argument: <T>(position: number) => Expression<T>) => Compilable<Row>,
  ): HotQuery<Row, Args> {
    const query = build(this.read, placeholder).compile();
    const execute = this.#on(this.#reader);
    const all = async (...args: Args) => (await execute(query.sql, filledIn(query, args))).rows as Row[];
    return { all, first: async (...args) => (await all(...args))[0] };
  }

  /** The server itself runs a long read apart from the others; only its length is watched. */
  async slowly<Row>(query: Compilable<Row>): Promise<Row[]> {
    const { sql: text, parameters } = query.compile();
    try {
      return (await this.#on(this.#reader, this.#slowReadMs)(text, parameters)).rows as Row[];
    } catch (error) {
      if (error instanceof DatabaseUnavailable && error.cause instanceof TooLate) throw new ReadTooSlow();
      throw error;
    }
  }

  withinDeadline(): Expression<SqlBool> {
    return sql<SqlBool>`true`;
  }

  onEvents(listener: (accountId: number) => void): () => void {
    return this.#notifications.on(listener);
  }

  /** The server checks its own files. */
  integrityProblems(): string[] {
    return [];
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new DatabaseUnavailable('The database is closed.');
    await this.#on(this.#reader)('select 1', []);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#notifications.end();
    await Promise.all([this.#sql.end({ timeout: 5 }), this.#reader.end({ timeout: 5 })]);
  }

  /** In words that are known before the first migration. */
  async #now(execute: Execute): Promise<number> {
    if (this.#clock) return this.#clock();
    const { rows } = await execute(`select ${EPOCH_MS} as now`, []);
    return (rows[0] as { now: number }).now;
  }

  async #reserve(): Promise<postgres.ReservedSql> {
    const reserving = this.#sql.reserve();
    try {
      return await inTime(reserving, this.#statementMs);
    } catch (error) {
      reserving.then(
        (late) => late.release(),
        () => undefined,
      ); // it would be lost to the others
      throw inOurWords(error);
    }
  }

  #on(session: postgres.Sql | postgres.ReservedSql, milliseconds = this.#statementMs): Execute {
    return async (text, parameters): Promise<Answer> => {
      const statement = this.#clock ? text.replaceAll(/(?<!function )now_ms\(\)/g, `${this.#clock()}::bigint`) : text;
      try {
        const result = await inTime(
          session.unsafe(statement, checked(parameters), { prepare: this.#clock === undefined }),
          milliseconds,
        );
        return { rows: [...result], changes: BigInt(result.count ?? 0) };
      } catch (error) {
        throw inOurWords(error);
      }
    };
  }
}

function connect(url: string, max: number, settings: Record<string, boolean>): postgres.Sql {
  return postgres(url, {
    max,
    connect_timeout: 1,
    onnotice: () => undefined,
    connection: settings as never,
    // Numbers as everywhere; what a condition says is 0 or 1, as on the embedded database.
    types: {
      number: { to: 20, from: [20, 1700, 701], serialize: String, parse: Number },
      flag: { to: 16, from: [16], serialize: String, parse: (value: string) => (value === 't' ? 1 : 0) },
    } as never,
  });
}

const UNIQUE_VIOLATION = '23505';

/** Connections refused or lost, too many of them, a server that starts or stops. */
const AWAY = /^(08|53|57|CONN|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT)/;

function inOurWords(error: unknown): unknown {
  const code = (error as { code?: string }).code ?? '';
  if (code === UNIQUE_VIOLATION) return new AlreadyThere({ cause: error });
  if (!(error instanceof TooLate) && !AWAY.test(code)) return error;
  return new DatabaseUnavailable('The database cannot be used right now.', { cause: error });
}
