import type { Entry, Journal } from './journal.ts';

const INTERVAL_MS = { terminal: 250, otherwise: 5000 };

/** Prints progress to standard error: on a terminal it updates one line, otherwise it adds a line every few seconds. */
export class Progress {
  readonly #journal: Journal;
  readonly #seconds: number;
  readonly #counts = {
    started: 0,
    refused: 0,
    active: 0,
    closed: 0,
    abandoned: 0,
    messages: 0,
    resumed: 0,
    failed: 0,
  };
  readonly #openedStreams = new Set<string>();
  readonly #active = new Set<number>();
  readonly #closed = new Set<number>();
  #nextEntry = 0;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: Journal, seconds: number) {
    this.#journal = journal;
    this.#seconds = seconds;
  }

  /** Shows a step of the preparation. */
  show(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  }

  start(): void {
    this.#startedAt = performance.now();
    const every = process.stderr.isTTY ? INTERVAL_MS.terminal : INTERVAL_MS.otherwise;
    this.#timer = setInterval(() => this.#print(), every);
  }

  stop(): void {
    clearInterval(this.#timer);
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }

  #print(): void {
    const { entries } = this.#journal;
    for (; this.#nextEntry < entries.length; this.#nextEntry += 1) this.#count(entries[this.#nextEntry] as Entry);
    const { started, refused, closed, abandoned, messages, resumed, failed } = this.#counts;
    const active = this.#active.size;
    const elapsed = Math.round((performance.now() - this.#startedAt) / 1000);
    const text = [
      `${elapsed}/${this.#seconds} s`,
      `started ${started}`,
      `queued ${started - closed - active}`,
      `active ${active}`,
      `closed ${closed} (abandoned ${abandoned})`,
      `messages ${messages}`,
      ...(refused > 0 ? [`refused ${refused}`] : []),
      ...(resumed > 0 ? [`reconnected ${resumed}`] : []),
      ...(failed > 0 ? [`failed ${failed}`] : []),
    ].join(' · ');
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  }

  #count(entry: Entry): void {
    const counts = this.#counts;
    if (entry.kind === 'conversation_started') counts.started += 1;
    if (entry.kind === 'conversation_abandoned') counts.abandoned += 1;
    if (entry.kind === 'message_sent') counts.messages += 1;
    if (entry.kind === 'request_completed' && entry.outcome === 'failed') counts.failed += 1;
    if (entry.kind === 'request_completed' && entry.operation === 'conversationStart' && entry.outcome === 'refused')
      counts.refused += 1;
    if (entry.kind === 'stream_opened') {
      const name = `${entry.participant} ${entry.conversation}`;
      if (this.#openedStreams.has(name)) counts.resumed += 1;
      this.#openedStreams.add(name);
    }
    if (entry.kind !== 'event_received' || entry.conversation === null || entry.participant.startsWith('operator'))
      return;
    if (entry.type === 'conversation.started') this.#active.add(entry.conversation);
    if (entry.type === 'conversation.queued' || entry.type === 'conversation.closed')
      this.#active.delete(entry.conversation);
    if (entry.type === 'conversation.closed' && !this.#closed.has(entry.conversation)) {
      this.#closed.add(entry.conversation);
      counts.closed += 1;
    }
  }
}
