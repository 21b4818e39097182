import assert from 'node:assert/strict';
import { checkJournal } from '../../simulate/checks.ts';
import type { Entry, NewEntry, Who } from '../../simulate/journal.ts';

/** A journal written by hand: everything that a test does not say is as it should be. Each line is 10 ms after the last. */
export class Story {
  readonly entries: Entry[] = [];
  #at = 1_800_000_000_000;
  #position = 0;
  readonly #streams = new Map<Who, number>();
  #stream = 0;

  get at(): number {
    return this.#at;
  }

  pass(milliseconds: number): void {
    this.#at += milliseconds;
  }

  add(entry: NewEntry): void {
    this.#at += 10;
    this.entries.push({ ...entry, at: this.#at } as Entry);
  }

  hire(who: Who, chatMaxNumber = 2, chatAndCall = false): void {
    this.add({ kind: 'hired', who, chatMaxNumber, chatAndCall });
    this.open(who, null, 0);
  }

  open(who: Who, conversation: number | null = null, after = this.#position): void {
    this.#stream += 1;
    this.#streams.set(who, this.#stream);
    this.add({ kind: 'opened', who, stream: this.#stream, conversation, after });
  }

  leave(who: Who, how: Extract<Entry, { kind: 'ended' }>['how']): void {
    this.add({ kind: 'ended', who, stream: this.#streams.get(who) ?? 0, how });
  }

  /** The next event of the log, told to some. */
  tell(
    type: string,
    whom: readonly Who[],
    {
      conversation = null,
      reason = null,
      message = null,
      position,
    }: {
      conversation?: number | null;
      reason?: string | null;
      message?: { sequence: number; clientId: string | null; author: string; text: string } | null;
      position?: number;
    } = {},
  ): number {
    this.#position = position ?? this.#position + 1;
    const serverAt = this.#at + 10;
    for (const who of whom) {
      const stream = this.#streams.get(who) ?? 0;
      this.add({
        ...{ kind: 'told', who, stream, position: this.#position, type, serverAt },
        ...{ conversation, reason, message },
      });
    }
    return this.#position;
  }

  /** A visitor starts a conversation and follows it. */
  start(
    visitor: Who,
    conversation: number,
    channel: 'chat' | 'call' | 'video' = 'chat',
    need = channel as string,
  ): void {
    const createdAt = this.#at;
    this.add({ kind: 'started', who: visitor, conversation, askedAt: this.#at, createdAt, channel, need });
    this.open(visitor, conversation, this.#position);
    this.tell('conversation.queued', [visitor], { conversation });
  }

  offer(operator: Who, visitor: Who, conversation: number): number {
    return this.tell('conversation.offered', [operator, visitor], { conversation });
  }

  accept(operator: Who, visitor: Who, conversation: number): number {
    return this.tell('conversation.started', [operator, visitor], { conversation });
  }

  /** Somebody writes: it is acknowledged, and told to all of these. */
  write(who: Who, conversation: number, sequence: number, toldTo: readonly Who[]): void {
    const author = who.startsWith('operator') ? 'OPERATOR' : 'VISITOR';
    const message = { sequence, clientId: `${who} ${sequence}`, author, text: `words ${sequence}` };
    this.add({ kind: 'sent', who, conversation, message });
    this.tell('message.created', toldTo, { conversation, message });
  }

  close(who: Who, conversation: number, toldTo: readonly Who[]): number {
    this.add({
      ...{ kind: 'answered', who, operation: 'conversationClose', askedAt: this.#at, outcome: 'done', code: null },
      ...{ tries: 1, unanswered: 0, conversation },
    });
    return this.tell('conversation.closed', toldTo, { conversation });
  }

  find(visitor: Who, conversation: number, state = 'CLOSED'): void {
    this.add({ kind: 'found', who: visitor, conversation, state });
  }
}

export const ANNA = 'operator 1';
export const BEN = 'operator 2';
export const VERA = 'visitor 1';
export const WILL = 'visitor 2';

/** Two operators, two visitors, two conversations from their beginning to their end. */
export function goodStory(): Story {
  const story = new Story();
  story.hire(ANNA);
  story.hire(BEN);
  story.start(VERA, 1);
  story.offer(ANNA, VERA, 1);
  story.accept(ANNA, VERA, 1);
  story.write(ANNA, 1, 1, [ANNA, VERA]);
  story.write(VERA, 1, 2, [VERA, ANNA]);
  story.start(WILL, 2);
  story.offer(BEN, WILL, 2);
  story.tell('conversation.queued', [BEN, WILL], { conversation: 2, reason: 'declined' });
  story.offer(ANNA, WILL, 2);
  story.accept(ANNA, WILL, 2);
  story.close(ANNA, 1, [ANNA, VERA]);
  story.find(VERA, 1);
  story.close(WILL, 2, [ANNA, WILL]);
  story.find(WILL, 2);
  for (const who of [ANNA, BEN, VERA, WILL] as const) story.leave(who, 'finished');
  return story;
}

/** What is found in a journal, by the first words of what must hold. */
export function found(entries: readonly Entry[]): Record<string, string[]> {
  return Object.fromEntries(
    checkJournal(entries)
      .filter(({ problems }) => problems.length > 0)
      .map(({ name, problems }) => [name, problems.map(({ what }) => what)]),
  );
}

/** That exactly one thing is broken, and that its description says what. */
export function assertBroken(entries: readonly Entry[], name: RegExp, what: RegExp): void {
  const problems = found(entries);
  const names = Object.keys(problems);
  assert.equal(names.length, 1, JSON.stringify(problems, null, 2));
  assert.match(names[0] ?? '', name);
  assert.match(problems[names[0] ?? '']?.[0] ?? '', what);
}
