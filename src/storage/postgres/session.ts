import postgres from 'postgres';
import { DeadlineExceeded, inTime } from '../deadline.ts';
import { DatabaseUnavailable, UniqueViolation } from '../errors.ts';
import { names } from '../names.ts';
import { checked } from '../parameters.ts';
import type { RunningClock } from '../running-clock.ts';
import type { Answer, Execute } from './dialect.ts';

export interface SessionOptions {
  readonly clock: RunningClock;
  /** A statement that takes longer is given up: a frozen server says nothing at all. */
  readonly patienceMs: number;
  /** Settings of the server for this connection. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** The text that is sent for a statement; tests put their own time into it. */
  readonly rewrite?: (text: string) => string;
  readonly onNotify?: (text: string) => void;
  readonly onLost?: () => void;
  /** It did not answer in time. */
  readonly onSilent?: () => void;
}

/** As what the server knows a node; what an address calls it comes behind. */
export const APPLICATION = 'switchboard';
const NODE_NAME = /([?&])application_name=([^&]*)&?/;

/** A node that says nothing in the middle of a transaction, and lets everybody wait for its account, loses it after this time. */
export const IDLE_IN_TRANSACTION_MS = 2000;
const RECONNECT_SECONDS = 0.1;
const PATIENT_MS = 10_000;
/** Seconds and milliseconds after which the server notices that a node is gone without a word. */
const NOTICE_A_DEAD_NODE = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 2,
  tcp_user_timeout: 5000,
  client_connection_check_interval: 1000,
};

/** The connection was lost before the statement could be sent. */
export class NotSent extends DatabaseUnavailable {
  constructor() {
    super('The connection to the database was lost.');
  }
}

/**
 * One connection. Statements that are given to it together are sent together, and answered in their order. It opens by itself,
 * and again after a loss; one that did not answer in time is never used again.
 */
export class Session {
  /** How many statements wait for their answers. */
  pending = 0;
  isDiscarded = false;
  readonly #sql: postgres.Sql;
  readonly #options: SessionOptions;
  /** What the server knows already on this connection. */
  readonly #prepared = new Set<string>();
  /** When the server last said anything, by the clock of this process. */
  #heardAt = performance.now();
  #losses = 0;
  #isInTransaction = false;

  constructor(url: string, options: SessionOptions) {
    this.#options = options;
    this.#sql = postgres(url.replace(NODE_NAME, '$1'), {
      max: 1,
      connect_timeout: options.patienceMs > PATIENT_MS ? 5 : 1, // also where a statement may take longer
      idle_timeout: null as never,
      max_lifetime: null, // it would end between two statements of a transaction
      backoff: () => RECONNECT_SECONDS,
      fetch_types: false,
      keep_alive: 5,
      onnotice: () => undefined,
      onclose: () => this.#lose(),
      connection: {
        application_name: [APPLICATION, NODE_NAME.exec(url)?.[2]].filter(Boolean).join(' '),
        default_transaction_isolation: 'read committed',
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
        ...NOTICE_A_DEAD_NODE,
        ...options.settings,
      } as never,
      transform: { column: { from: (column: string) => names.camelCase(column) } },
      // Numbers as everywhere; what a condition says is 0 or 1, as on the embedded database.
      types: {
        number: { to: 20, from: [20, 1700, 701], serialize: String, parse: Number },
        flag: { to: 16, from: [16], serialize: String, parse: (value: string) => (value === 't' ? 1 : 0) },
      } as never,
      ...({ onnotify: (_channel: string, text: string) => this.#notified(text) } as object),
    });
  }

  readonly execute: Execute = async (text, parameters, milliseconds = this.#options.patienceMs): Promise<Answer> => {
    if (this.isDiscarded) throw new DatabaseUnavailable('The connection to the database is lost.');
    const { rewrite } = this.#options;
    this.pending += 1;
    try {
      const statement = this.#sql.unsafe(rewrite ? rewrite(text) : text, checked(parameters), { prepare: !rewrite });
      const result = await inTime(statement, milliseconds, this.#options.clock);
      this.#heardAt = performance.now();
      if (!rewrite) this.#prepared.add(text);
      return { rows: [...result], changes: BigInt(result.count ?? 0), command: result.command };
    } catch (error) {
      if (error instanceof DeadlineExceeded || (error as { code?: string }).code === READ_ONLY) this.discard();
      // Whatever may take longer than others says nothing of the server.
      if (error instanceof DeadlineExceeded && milliseconds <= this.#options.patienceMs) this.#options.onSilent?.();
      throw translateError(error);
    } finally {
      this.pending -= 1;
    }
  };

  /** For the statements of one transaction: none of them is carried out on the connection that comes after a loss. */
  untilLost(): Execute {
    const losses = this.#losses;
    this.#isInTransaction = true;
    let sent: Promise<unknown> = Promise.resolve();
    return (text, parameters, milliseconds) => {
      const answer = sent.then(() => {
        if (this.#losses !== losses) throw new NotSent();
        const answered = this.execute(text, parameters, milliseconds);
        answered.catch(() => undefined);
        return { answered };
      });
      // What the driver cannot send at once waits inside it, and would find its way to the next connection: it waits here.
      const goesAtOnce = parameters.length === 0 || (this.#prepared.has(text) && isShort(parameters));
      sent = answer
        .then(({ answered }) => (goesAtOnce && this.pending < MAX_TOGETHER ? undefined : answered))
        .catch(() => undefined);
      return answer.then(({ answered }) => answered);
    };
  }

  /** The transaction is over, one way or the other. */
  release(): void {
    this.#isInTransaction = false;
  }

  /** Every text that was ever sent is kept by the server, and there are very many: lists of every length, filters of every kind. */
  get isFull(): boolean {
    return this.#prepared.size > MAX_PREPARED;
  }

  /** What it was asked for last may still be carried out, but a transaction without a commit ends with its connection. */
  discard(): void {
    if (this.isDiscarded) return;
    this.isDiscarded = true;
    this.end(0);
    this.#lose();
  }

  /** What was not heard of for so long may be connected to nobody. */
  discardIfUnheardFor(milliseconds: number): void {
    if (this.pending === 0 && performance.now() - this.#heardAt > milliseconds) this.discard();
  }

  async end(seconds: number): Promise<void> {
    await this.#sql.end({ timeout: seconds }).catch(() => undefined);
  }

  #notified(text: string): void {
    this.#heardAt = performance.now();
    this.#options.onNotify?.(text);
  }

  #lose(): void {
    this.#losses += 1;
    this.#prepared.clear();
    if (this.#isInTransaction) this.discard(); // the driver would carry out on the next one what it has not sent yet
    this.#options.onLost?.();
  }
}

const MAX_TOGETHER = 50;
const MAX_PREPARED = 400;
const SHORT = 4096;

function isShort(parameters: readonly unknown[]): boolean {
  return parameters.every((value) => typeof value !== 'string' || value.length < SHORT);
}

const UNIQUE_VIOLATION = '23505';
const READ_ONLY = '25006';

/** Connections refused or lost, too many of them, a server that starts or stops, or is not the primary any more. */
const AWAY = /^(08|25006|25P03|53|57|CONN|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT)/;

function translateError(error: unknown): unknown {
  const code = (error as { code?: string }).code ?? '';
  if (code === UNIQUE_VIOLATION) return new UniqueViolation({ cause: error });
  if (!(error instanceof DeadlineExceeded) && !AWAY.test(code)) return error;
  return new DatabaseUnavailable('The database cannot be used right now.', { cause: error });
}
