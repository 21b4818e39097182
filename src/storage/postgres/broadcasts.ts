import { randomUUID } from 'node:crypto';
import type { StatementResult } from './dialect.ts';

export const BROADCAST_CHANNEL = 'switchboard_signals';

/** Texts within this time are one row and one notification. */
const COALESCE_INTERVAL_MS = 10;
/** What waits to be sent, in characters; in an overload the oldest texts are dropped. */
const MAX_OUTGOING_LENGTH = 1024 * 1024;
/** A row holds texts up to this length, or a single longer one. */
const MAX_ROW_LENGTH = 256 * 1024;
/** Rows of other nodes that wait to be read; in an overload the oldest are dropped. */
const MAX_INCOMING_ROWS = 1000;
const MAX_ROWS_PER_READ = 50;
/** Every node has long read its rows by then. */
const MAX_ROW_AGE_MS = 10_000;

const INSERT = `with sent as (insert into signals (id, sent_at, body) values ($1, now_ms(), $2) returning id)
  select pg_notify('${BROADCAST_CHANNEL}', id) from sent`;
const SELECT = 'select id, body from signals where id in (select json_array_elements_text($1::text::json))';
const DELETE_OLD = `delete from signals where sent_at < now_ms() - ${MAX_ROW_AGE_MS}`;

interface Connections {
  /** Writes on the connection that receives the notifications, so that no transaction waits. */
  write(sql: string, parameters: readonly unknown[]): Promise<unknown>;
  read(sql: string, parameters: readonly unknown[]): Promise<StatementResult>;
}

/**
 * Sends short-lived texts to the other nodes. They are rows of an unlogged table, because a notification has at most
 * 8000 bytes; the notification names the row. A text is lost if the connection is, and nothing waits for it.
 */
export class Broadcasts {
  /** The rows of this node are `<node>.<number>`. */
  readonly #node = randomUUID();
  readonly #connections: Connections;
  readonly #listeners = new Set<(text: string) => void>();
  readonly #outgoing: string[] = [];
  #outgoingLength = 0;
  #rowNumber = 0;
  #sendTimer: NodeJS.Timeout | undefined;
  #cleanTimer: NodeJS.Timeout | undefined;
  #incoming: string[] = [];
  #isReading = false;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  send(text: string): void {
    this.#outgoing.push(text);
    this.#outgoingLength += text.length;
    while (this.#outgoingLength > MAX_OUTGOING_LENGTH) this.#takeOutgoing();
    this.#sendTimer ??= setTimeout(() => this.#sendRow(), COALESCE_INTERVAL_MS);
  }

  /** Rows of other nodes are read only while there is a listener. */
  onReceive(listener: (text: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called for every notification. */
  receive(rowId: string): void {
    if (this.#listeners.size === 0 || rowId.startsWith(this.#node)) return;
    if (this.#incoming.length === MAX_INCOMING_ROWS) this.#incoming.shift();
    this.#incoming.push(rowId);
    if (!this.#isReading) this.#readRows();
  }

  end(): void {
    clearTimeout(this.#sendTimer);
    clearTimeout(this.#cleanTimer);
    this.#listeners.clear();
  }

  async #sendRow(): Promise<void> {
    const texts: string[] = [];
    for (let length = 0; this.#outgoing.length > 0; ) {
      length += this.#outgoing[0]?.length ?? 0;
      if (texts.length > 0 && length > MAX_ROW_LENGTH) break;
      texts.push(this.#takeOutgoing());
    }
    this.#rowNumber += 1;
    const row = [`${this.#node}.${this.#rowNumber}`, JSON.stringify(texts)];
    await this.#connections.write(INSERT, row).catch(() => undefined);
    this.#cleanTimer ??= setTimeout(() => this.#deleteOldRows(), 2 * MAX_ROW_AGE_MS).unref();
    // One row at a time: what is sent meanwhile goes into the next.
    this.#sendTimer = this.#outgoing.length > 0 ? setTimeout(() => this.#sendRow(), COALESCE_INTERVAL_MS) : undefined;
  }

  #takeOutgoing(): string {
    const text = this.#outgoing.shift() ?? '';
    this.#outgoingLength -= text.length;
    return text;
  }

  /** Also deletes the rows of nodes that have stopped. */
  async #deleteOldRows(): Promise<void> {
    this.#cleanTimer = undefined;
    await this.#connections.write(DELETE_OLD, []).catch(() => undefined);
  }

  async #readRows(): Promise<void> {
    this.#isReading = true;
    while (this.#incoming.length > 0) {
      const ids = this.#incoming.splice(0, MAX_ROWS_PER_READ);
      const result = await this.#connections.read(SELECT, [JSON.stringify(ids)]).catch(() => undefined);
      const bodies = new Map((result?.rows as { id: string; body: string }[] | undefined)?.map((r) => [r.id, r.body]));
      for (const id of ids) for (const text of JSON.parse(bodies.get(id) ?? '[]')) this.#deliver(text);
    }
    this.#isReading = false;
  }

  #deliver(text: string): void {
    for (const listener of this.#listeners) listener(text);
  }
}
