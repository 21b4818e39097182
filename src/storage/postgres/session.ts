import postgres from 'postgres';
import { columnNames } from '../column-names.ts';
import { DeadlineExceeded, withDeadline } from '../deadline.ts';
import { DatabaseUnavailable, LockNotAvailable, UniqueViolation } from '../errors.ts';
import { checkParameters } from '../parameters.ts';
import type { RunningClock } from '../running-clock.ts';
import type { Execute, StatementResult } from './dialect.ts';

export interface SessionOptions {
  readonly clock: RunningClock;
  /** Limits the time of a statement: a frozen server sends no error. */
  readonly timeoutMs: number;
  /** Server settings for this connection. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Rewrites statements before they are sent; tests insert their own time. What it changes is not prepared. */
  readonly rewrite?: (text: string) => string;
  readonly onNotify?: (text: string, channel: string) => void;
  readonly onLost?: () => void;
  readonly onTimeout?: () => void;
}

/** The application name on the server; an `application_name` in the URL is appended. */
export const APPLICATION_NAME = 'switchboard';
const NODE_NAME_PARAMETER = /([?&])application_name=([^&]*)&?/;

/** The server ends a transaction that is idle for this time, because it blocks its account. */
export const IDLE_IN_TRANSACTION_MS = 2000;
const RECONNECT_SECONDS = 0.1;
const LONG_TIMEOUT_MS = 10_000;
/** Server settings, in seconds or milliseconds, to detect a node that disappeared without closing its connection. */
const DEAD_NODE_DETECTION = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 2,
  tcp_user_timeout: 5000,
  client_connection_check_interval: 1000,
};

/** The connection was lost before the statement could be sent. */
export class StatementNotSent extends DatabaseUnavailable {
  constructor() {
    super('The connection to the database was lost.');
  }
}

/**
 * One connection. Concurrent statements are pipelined and complete in order. It connects on demand and reconnects after
 * a
 * loss; after a timeout it is discarded.
 */
export class Session {
  /** Statements waiting for their results. */
  pending = 0;
  isDiscarded = false;
  readonly #sql: postgres.Sql;
  readonly #options: SessionOptions;
  /** Statements that are prepared on this connection. */
  readonly #prepared = new Set<string>();
  /** What is sent instead of texts whose plans became stale. */
  readonly #replacements = new Map<string, string>();
  /** Time of the last response. */
  #lastResponseAt = performance.now();
  #losses = 0;
  #isInTransaction = false;

  constructor(url: string, options: SessionOptions) {
    this.#options = options;
    this.#sql = postgres(url.replace(NODE_NAME_PARAMETER, '$1'), {
      max: 1,
      connect_timeout: options.timeoutMs > LONG_TIMEOUT_MS ? 5 : 1, // in seconds
      idle_timeout: null as never,
      max_lifetime: null, // it could end the connection within a transaction
      backoff: () => RECONNECT_SECONDS,
      fetch_types: false,
      keep_alive: 5,
      onnotice: () => undefined,
      onclose: () => this.#handleLoss(),
      connection: {
        application_name: [APPLICATION_NAME, NODE_NAME_PARAMETER.exec(url)?.[2]].filter(Boolean).join(' '),
        default_transaction_isolation: 'read committed',
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
        ...DEAD_NODE_DETECTION,
        ...options.settings,
      } as never,
      transform: { column: { from: (column: string) => columnNames.camelCase(column) } },
      // Parses integers as numbers, and booleans as 0 or 1, like the embedded database.
      types: {
        number: { to: 20, from: [20, 1700, 701], serialize: String, parse: Number },
        flag: { to: 16, from: [16], serialize: String, parse: (value: string) => (value === 't' ? 1 : 0) },
      } as never,
      ...({
        onnotify: (channel: string, text: string) => this.#handleNotification(text, channel),
        max_pipeline: 2 * MAX_PIPELINED, // it must not queue what `startTransaction` has sent
      } as object),
    });
  }

  readonly execute: Execute = async (
    text,
    parameters,
    milliseconds = this.#options.timeoutMs,
  ): Promise<StatementResult> => {
    if (this.isDiscarded) throw new DatabaseUnavailable('The connection to the database is lost.');
    const { rewrite, clock } = this.#options;
    const startedAt = clock.now();
    const sentText = this.#replacements.get(text) ?? text;
    const rewritten = rewrite?.(text) ?? text;
    const isRewritten = rewritten !== text;
    this.pending += 1;
    try {
      const statement = isRewritten
        ? this.#sql.unsafe(rewritten, checkParameters(parameters))
        : preparedWithoutRetry(this.#sql, sentText, checkParameters(parameters));
      const result = await withDeadline(statement, milliseconds, clock);
      this.#lastResponseAt = performance.now();
      if (!isRewritten) this.#prepared.add(sentText);
      return { rows: [...result], changes: BigInt(result.count ?? 0), command: result.command };
    } catch (error) {
      if (isStalePlan(error)) {
        this.#replaceStale(text, sentText);
        const remainingMs = milliseconds - (clock.now() - startedAt);
        // It did not run. But an error within a transaction ends the transaction.
        if (!this.#isInTransaction && remainingMs > 0) return await this.execute(text, parameters, remainingMs);
      }
      if (error instanceof DeadlineExceeded || (error as { code?: string }).code === READ_ONLY_TRANSACTION)
        this.discard();
      // A statement with an extended time limit does not show that the server is unresponsive.
      if (error instanceof DeadlineExceeded && milliseconds <= this.#options.timeoutMs) this.#options.onTimeout?.();
      throw translateError(error);
    } finally {
      this.pending -= 1;
    }
  };

  /**
   * Returns a function that executes the statements of one transaction. After a loss, none runs on a new connection.
   */
  startTransaction(): Execute {
    const losses = this.#losses;
    this.#isInTransaction = true;
    let previous: Promise<unknown> = Promise.resolve();
    return (text, parameters, milliseconds) => {
      const started = previous.then(() => {
        if (this.#losses !== losses) throw new StatementNotSent();
        const result = this.execute(text, parameters, milliseconds);
        result.catch(() => undefined);
        return { result };
      });
      // The driver queues statements that it cannot send immediately, and would send them on the next connection.
      const isSentImmediately = parameters.length === 0 || (this.#prepared.has(text) && isShort(parameters));
      previous = started
        .then(({ result }) => (isSentImmediately && this.pending < MAX_PIPELINED ? undefined : result))
        .catch(() => undefined);
      return started.then(({ result }) => result);
    };
  }

  endTransaction(): void {
    this.#isInTransaction = false;
  }

  /**
   * The server retains every prepared statement, and their number is unbounded: lists of any length, and any
   * combination
   * of filters.
   */
  get hasTooManyPrepared(): boolean {
    return this.#prepared.size > MAX_PREPARED;
  }

  /** The last statement may still complete, but an uncommitted transaction ends with its connection. */
  discard(): void {
    if (this.isDiscarded) return;
    this.isDiscarded = true;
    this.end(0);
    this.#handleLoss();
  }

  /** Discards an idle connection without a recent response, because it may be dead. */
  discardIfUnresponsiveFor(milliseconds: number): void {
    if (this.pending === 0 && performance.now() - this.#lastResponseAt > milliseconds) this.discard();
  }

  async end(seconds: number): Promise<void> {
    await this.#sql.end({ timeout: seconds }).catch(() => undefined);
  }

  /** The driver prepares each text once: a space at its end makes it prepare the statement again. */
  #replaceStale(text: string, sentText: string): void {
    const isFirstToFail = (this.#replacements.get(text) ?? text) === sentText;
    if (isFirstToFail) this.#replacements.set(text, `${sentText} `);
  }

  #handleNotification(text: string, channel: string): void {
    this.#lastResponseAt = performance.now();
    this.#options.onNotify?.(text, channel);
  }

  #handleLoss(): void {
    this.#losses += 1;
    this.#prepared.clear();
    this.#replacements.clear();
    if (this.#isInTransaction) this.discard(); // the driver would send queued statements on the next connection
    this.#options.onLost?.();
  }
}

/**
 * Executes a prepared statement, and reports a stale plan as an error. The driver would prepare the statement again by
 * itself, but in two steps, between which it sends and expects other statements of the connection: they would receive
 * each other's rows. It repeats a statement that it has marked as prepared, so the mark is removed after sending.
 */
function preparedWithoutRetry(sql: postgres.Sql, text: string, parameters: ReturnType<typeof checkParameters>) {
  const onexecute = () => {
    (statement as { prepared?: boolean }).prepared = false;
    return true;
  };
  const options = { prepare: true, onexecute };
  const statement = sql.unsafe(text, parameters, options);
  return statement;
}

const MAX_PIPELINED = 200;
const MAX_PREPARED = 400;
const SHORT_TEXT_LENGTH = 4096;

function isShort(parameters: readonly unknown[]): boolean {
  return parameters.every((value) => {
    const isLong = (typeof value === 'string' || value instanceof Uint8Array) && value.length >= SHORT_TEXT_LENGTH;
    return !isLong;
  });
}

/** Server functions that refuse a plan: a column was added since, or the server has dropped the statement. */
const STALE_PLAN_ROUTINES: ReadonlySet<unknown> = new Set(['RevalidateCachedQuery', 'FetchPreparedStatement']);

function isStalePlan(error: unknown): boolean {
  return STALE_PLAN_ROUTINES.has((error as { routine?: string }).routine);
}

const UNIQUE_VIOLATION = '23505';
const READ_ONLY_TRANSACTION = '25006';
const LOCK_NOT_AVAILABLE = '55P03';

/** Connections refused, lost or exhausted; a server that starts, stops or is no longer the primary. */
const UNAVAILABLE_CODES = /^(08|25006|25P03|53|57|CONN|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT)/;

function translateError(error: unknown): unknown {
  const code = (error as { code?: string }).code ?? '';
  if (code === UNIQUE_VIOLATION) return new UniqueViolation({ cause: error });
  if (code === LOCK_NOT_AVAILABLE) return new LockNotAvailable({ cause: error });
  if (!(error instanceof DeadlineExceeded) && !UNAVAILABLE_CODES.test(code)) return error;
  return new DatabaseUnavailable('The database cannot be used right now.', { cause: error });
}
