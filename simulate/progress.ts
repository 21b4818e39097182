import type { Entry, Journal } from './journal.ts';

const EVERY_MS = { terminal: 250, otherwise: 5000 };

/** Says on standard error how it goes: on a terminal in one line that is written anew, else in a line now and then. */
export class Progress {
  readonly #journal: Journal;
  readonly #seconds: number;
  readonly #counts = {
    started: 0,
    refused: 0,
    talking: 0,
    closed: 0,
    abandoned: 0,
    messages: 0,
    resumed: 0,
    failed: 0,
  };
  readonly #seen = new Set<string>();
  readonly #talking = new Set<number>();
  readonly #closed = new Set<number>();
  #read = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: Journal, seconds: number) {
    this.#journal = journal;
    this.#seconds = seconds;
  }

  /** A word on what is prepared. */
  say(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  }

  start(): void {
    this.#since = performance.now();
    const every = process.stderr.isTTY ? EVERY_MS.terminal : EVERY_MS.otherwise;
    this.#timer = setInterval(() => this.#show(), every);
  }

  stop(): void {
    clearInterval(this.#timer);
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }

  #show(): void {
    const { entries } = this.#journal;
    for (; this.#read < entries.length; this.#read += 1) this.#count(entries[this.#read] as Entry);
    const { started, refused, closed, abandoned, messages, resumed, failed } = this.#counts;
    const talking = this.#talking.size;
    const elapsed = Math.round((performance.now() - this.#since) / 1000);
    const text = [
      `${elapsed}/${this.#seconds} s`,
      `started ${started}`,
      `waiting ${started - closed - talking}`,
      `talking ${talking}`,
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
    if (entry.kind === 'started') counts.started += 1;
    if (entry.kind === 'left') counts.abandoned += 1;
    if (entry.kind === 'sent') counts.messages += 1;
    if (entry.kind === 'answered' && entry.outcome === 'failed') counts.failed += 1;
    if (entry.kind === 'answered' && entry.operation === 'conversationStart' && entry.outcome === 'refused')
      counts.refused += 1;
    if (entry.kind === 'opened') {
      const name = `${entry.who} ${entry.conversation}`;
      if (this.#seen.has(name)) counts.resumed += 1;
      this.#seen.add(name);
    }
    if (entry.kind !== 'told' || entry.conversation === null || entry.who.startsWith('operator')) return;
    if (entry.type === 'conversation.started') this.#talking.add(entry.conversation);
    if (entry.type === 'conversation.queued' || entry.type === 'conversation.closed')
      this.#talking.delete(entry.conversation);
    if (entry.type === 'conversation.closed' && !this.#closed.has(entry.conversation)) {
      this.#closed.add(entry.conversation);
      counts.closed += 1;
    }
  }
}
