import type { Entry, Sent, ShownMessage, Told, Who } from '../journal.ts';
import type { Holding, Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** Every acknowledged message reaches the other side exactly once, in the order of its number, and none is missing between. */
export const messages: Check = {
  name: 'no message was lost, doubled or out of order',
  problems: (timeline, entries) => {
    const known = new Map<number, Transcript>();
    const transcript = (conversation: number) => {
      const found = known.get(conversation) ?? new Transcript(conversation);
      known.set(conversation, found);
      return found;
    };
    for (const entry of entries) {
      if (entry.kind === 'sent') transcript(entry.conversation).sent(entry);
      if (entry.kind === 'read') transcript(entry.conversation).read(entry.who, entry.messages, entry.at);
      if (entry.kind === 'told' && entry.type === 'message.created' && entry.conversation !== null)
        transcript(entry.conversation).told(entry);
    }
    const whole = visitorsWithWholeView(entries);
    const holdings = Map.groupBy(timeline.holdings, ({ conversation }) => conversation);
    return [...known.values()].flatMap((one) => [
      ...one.problems,
      ...one.missing(whole.get(one.conversation)),
      ...missedByOperators(timeline, holdings.get(one.conversation) ?? [], one),
    ]);
  },
};

/** By conversation, the visitor who followed it and looked at it once more at the end. */
function visitorsWithWholeView(entries: readonly Entry[]): Map<number, Who> {
  const whole = new Map<number, Who>();
  for (const entry of entries) if (entry.kind === 'found') whole.set(entry.conversation, entry.who);
  return whole;
}

/** All that anybody knows of the messages of one conversation. */
class Transcript {
  readonly conversation: number;
  readonly problems: Problem[] = [];
  /** Position of its event, by number; and who was told of which position. */
  readonly positions = new Map<number, number>();
  readonly toldTo = new Map<Who, Set<number>>();
  readonly #shown = new Map<number, ShownMessage>();
  readonly #byName = new Map<string, number>();
  readonly #seenBy = new Map<Who, Set<number>>();
  readonly #streamed = new Map<Who, { sequence: number; position: number }[]>();
  readonly #sent: Sent[] = [];

  constructor(conversation: number) {
    this.conversation = conversation;
  }

  sent(entry: Sent): void {
    this.#sent.push(entry);
    this.#compare(entry.message, entry.at);
  }

  read(who: Who, list: readonly ShownMessage[], at: number): void {
    for (const message of list) {
      this.#compare(message, at);
      this.#see(who, message.sequence);
    }
  }

  told({ who, message, position, at }: Told): void {
    const own = this.toldTo.get(who) ?? new Set();
    this.toldTo.set(who, own.add(position));
    // Somebody who has lost the conversation meanwhile is told that there was one, not what it said.
    if (!message) return;
    this.#compare(message, at);
    const { sequence } = message;
    this.positions.set(sequence, position);
    const streamed = this.#streamed.get(who) ?? [];
    this.#streamed.set(who, streamed);
    if (streamed.some((earlier) => earlier.sequence === sequence))
      this.#report(`${who} was told message ${sequence} twice`, at);
    const last = streamed.at(-1);
    if (last && position > last.position && sequence < last.sequence)
      this.#report(`${who} was told message ${sequence} after ${last.sequence}`, at);
    streamed.push({ sequence, position });
    this.#see(who, sequence);
  }

  /** What was acknowledged, or must have been there, and did not reach the visitor. */
  missing(visitor: Who | undefined): Problem[] {
    const problems: Problem[] = [];
    const report = (what: string, at: number) =>
      problems.push({ what: `conversation ${this.conversation}: ${what}`, at });
    const seen = visitor ? this.#seenBy.get(visitor) : undefined;
    const everybody = new Set([...this.#seenBy.values()].flatMap((numbers) => [...numbers]));
    for (const { who, message, at } of this.#sent) {
      if (!(seen ?? everybody).has(message.sequence) && (visitor || everybody.size > 0))
        report(`message ${message.sequence} of ${who} was acknowledged and is lost`, at);
    }
    if (!visitor || !seen) return problems;
    // They followed it from its beginning, and looked at all of it at the end: both must show the same.
    const streamed = new Set((this.#streamed.get(visitor) ?? []).map(({ sequence }) => sequence));
    const last = Math.max(0, ...this.#shown.keys());
    for (let sequence = 1; sequence <= last; sequence++) {
      if (!seen.has(sequence)) report(`${visitor} never got message ${sequence} of ${last}`, 0);
      else if (!streamed.has(sequence)) report(`the stream of ${visitor} left out message ${sequence} of ${last}`, 0);
    }
    return problems;
  }

  #see(who: Who, sequence: number): void {
    const own = this.#seenBy.get(who) ?? new Set();
    this.#seenBy.set(who, own.add(sequence));
  }

  /** The same for everybody, whenever they see it; and one name is one message. */
  #compare(message: ShownMessage, at: number): void {
    const { sequence, clientId, author, text } = message;
    const known = this.#shown.get(sequence);
    if (known && (known.text !== text || known.author !== author))
      this.#report(`message ${sequence} is shown in two ways`, at);
    this.#shown.set(sequence, message);
    if (clientId === null) return; // the names that one side gives are not shown to the other
    const name = `${author} ${clientId}`;
    const other = this.#byName.get(name);
    if (other !== undefined && other !== sequence)
      this.#report(`the message ${clientId} is there twice: as ${other} and as ${sequence}`, at);
    this.#byName.set(name, sequence);
  }

  #report(what: string, at: number): void {
    this.problems.push({ what: `conversation ${this.conversation}: ${what}`, at });
  }
}

/** While an operator has a conversation, their desk is told of every message in it. */
function missedByOperators({ told }: Timeline, holdings: readonly Holding[], transcript: Transcript): Problem[] {
  const problems: Problem[] = [];
  for (const { who, conversation, from, to, toldAt } of holdings) {
    // What came after the last that they heard of at all may still be on its way.
    const reached = told.get(who)?.at(-1)?.position ?? 0;
    const heard = transcript.toldTo.get(who);
    for (const [sequence, position] of transcript.positions) {
      if (position <= from || position >= Math.min(to, reached) || heard?.has(position)) continue;
      const what = `conversation ${conversation}: the desk of ${who} was not told of message ${sequence} at position ${position}`;
      problems.push({ what, at: toldAt });
    }
  }
  return problems;
}
