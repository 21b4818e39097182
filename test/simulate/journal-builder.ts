import assert from 'node:assert/strict';
import { checkJournal } from '../../simulate/checks.ts';
import type { Entry, NewEntry, Participant } from '../../simulate/journal.ts';

/** Builds a journal that is valid except for what a test adds. Each entry is 10 ms after the previous one. */
export class JournalBuilder {
  readonly entries: Entry[] = [];
  #at = 1_800_000_000_000;
  #position = 0;
  readonly #streams = new Map<Participant, number>();
  #stream = 0;

  get at(): number {
    return this.#at;
  }

  advance(milliseconds: number): void {
    this.#at += milliseconds;
  }

  add(entry: NewEntry): void {
    this.#at += 10;
    this.entries.push({ ...entry, at: this.#at } as Entry);
  }

  addOperator(participant: Participant, chatMaxNumber = 2, chatAndCall = false): void {
    this.add({ kind: 'operator_created', participant, chatMaxNumber, chatAndCall });
    this.open(participant, null, 0);
  }

  open(participant: Participant, conversation: number | null = null, after = this.#position): void {
    this.#stream += 1;
    this.#streams.set(participant, this.#stream);
    this.add({ kind: 'stream_opened', participant, stream: this.#stream, conversation, after });
  }

  leave(participant: Participant, how: Extract<Entry, { kind: 'stream_ended' }>['how']): void {
    this.add({ kind: 'stream_ended', participant, stream: this.#streams.get(participant) ?? 0, how });
  }

  /** Adds the next event of the log for these receivers. */
  notify(
    type: string,
    receivers: readonly Participant[],
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
    for (const participant of receivers) {
      const stream = this.#streams.get(participant) ?? 0;
      this.add({
        ...{ kind: 'event_received', participant, stream, position: this.#position, type, serverAt },
        ...{ conversation, reason, message },
      });
    }
    return this.#position;
  }

  /** A visitor starts a conversation and follows it. */
  start(
    visitor: Participant,
    conversation: number,
    channel: 'chat' | 'call' | 'video' = 'chat',
    need = channel as string,
  ): void {
    const createdAt = this.#at;
    this.add({
      kind: 'conversation_started',
      participant: visitor,
      conversation,
      requestedAt: this.#at,
      createdAt,
      channel,
      need,
      absenceMinutes: 1,
    });
    this.open(visitor, conversation, this.#position);
    this.notify('conversation.queued', [visitor], { conversation });
  }

  offer(operator: Participant, visitor: Participant, conversation: number): number {
    return this.notify('conversation.offered', [operator, visitor], { conversation });
  }

  accept(operator: Participant, visitor: Participant, conversation: number): number {
    return this.notify('conversation.started', [operator, visitor], { conversation });
  }

  /** Adds an acknowledged message and its event for these receivers. */
  sendMessage(
    participant: Participant,
    conversation: number,
    sequence: number,
    receivers: readonly Participant[],
  ): void {
    const author = participant.startsWith('operator') ? 'OPERATOR' : 'VISITOR';
    const message = { sequence, clientId: `${participant} ${sequence}`, author, text: `text ${sequence}` };
    this.add({ kind: 'message_sent', participant, conversation, message });
    this.notify('message.created', receivers, { conversation, message });
  }

  close(participant: Participant, conversation: number, receivers: readonly Participant[]): number {
    this.add({
      kind: 'request_completed',
      participant,
      operation: 'conversationClose',
      requestedAt: this.#at,
      outcome: 'done',
      code: null,
      ...{ attempts: 1, attemptsWithoutResponse: 0, conversation },
    });
    return this.notify('conversation.closed', receivers, { conversation });
  }

  recordState(
    visitor: Participant,
    conversation: number,
    state = 'CLOSED',
    { closeReason = null, closedAt = this.#at }: { closeReason?: string | null; closedAt?: number } = {},
  ): void {
    const end = { closedAt: state === 'CLOSED' ? closedAt : null, closeReason };
    const found = { state, ...end, unreadCount: 0, requestedAt: this.#at };
    this.add({ kind: 'final_state_found', participant: visitor, conversation, ...found });
  }

  addRequest(participant: Participant, operation: string): void {
    const request = { operation, requestedAt: this.#at, outcome: 'done', code: null } as const;
    const attempts = { attempts: 1, attemptsWithoutResponse: 0 };
    this.add({ kind: 'request_completed', participant, ...request, ...attempts, conversation: null });
  }

  /** The visitor opens the page again. */
  return(visitor: Participant, conversation: number, after = this.#position): void {
    this.open(visitor, conversation, after);
    this.add({ kind: 'stream_connected', participant: visitor, stream: this.#stream });
  }
}

export const ANNA = 'operator 1';
export const BEN = 'operator 2';
export const VERA = 'visitor 1';
export const WILL = 'visitor 2';

/** Two operators, two visitors, two complete conversations. */
export function validJournal(): JournalBuilder {
  const journal = new JournalBuilder();
  journal.addOperator(ANNA);
  journal.addOperator(BEN);
  journal.start(VERA, 1);
  journal.offer(ANNA, VERA, 1);
  journal.accept(ANNA, VERA, 1);
  journal.sendMessage(ANNA, 1, 1, [ANNA, VERA]);
  journal.sendMessage(VERA, 1, 2, [VERA, ANNA]);
  journal.start(WILL, 2);
  journal.offer(BEN, WILL, 2);
  journal.notify('conversation.queued', [BEN, WILL], { conversation: 2, reason: 'declined' });
  journal.offer(ANNA, WILL, 2);
  journal.accept(ANNA, WILL, 2);
  journal.close(ANNA, 1, [ANNA, VERA]);
  journal.recordState(VERA, 1);
  journal.close(WILL, 2, [ANNA, WILL]);
  journal.recordState(WILL, 2);
  for (const participant of [ANNA, BEN, VERA, WILL] as const) journal.leave(participant, 'finished');
  return journal;
}

/** The problems of a journal by check name. */
export function findProblems(entries: readonly Entry[]): Record<string, string[]> {
  return Object.fromEntries(
    checkJournal(entries)
      .filter(({ problems }) => problems.length > 0)
      .map(({ name, problems }) => [name, problems.map(({ message }) => message)]),
  );
}

/** Asserts that exactly one check fails, with this problem. */
export function assertProblem(entries: readonly Entry[], name: RegExp, message: RegExp): void {
  const problems = findProblems(entries);
  const names = Object.keys(problems);
  assert.equal(names.length, 1, JSON.stringify(problems, null, 2));
  assert.match(names[0] ?? '', name);
  assert.match(problems[names[0] ?? '']?.[0] ?? '', message);
}
