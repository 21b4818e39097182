import type { Entry, EventReceived, MessageSent, MessageView, Participant } from '../journal.ts';
import type { Assignment, Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** Every acknowledged message reaches the other side exactly once, in order of its sequence number, without gaps. */
export const messages: Check = {
  name: 'no message was lost, duplicated or out of order',
  findProblems: (timeline, entries) => {
    const transcripts = new Map<number, Transcript>();
    const transcriptOf = (conversation: number) => {
      const transcript = transcripts.get(conversation) ?? new Transcript(conversation);
      transcripts.set(conversation, transcript);
      return transcript;
    };
    for (const entry of entries) {
      if (entry.kind === 'message_sent') transcriptOf(entry.conversation).addSent(entry);
      if (entry.kind === 'messages_read')
        transcriptOf(entry.conversation).addRead(entry.participant, entry.messages, entry.at);
      if (entry.kind === 'event_received' && entry.type === 'message.created' && entry.conversation !== null)
        transcriptOf(entry.conversation).addReceived(entry);
    }
    const followers = findFollowers(entries);
    const assignments = Map.groupBy(timeline.assignments, ({ conversation }) => conversation);
    return [...transcripts.values()].flatMap((transcript) => [
      ...transcript.problems,
      ...transcript.findMissing(followers.get(transcript.conversation)),
      ...findMissedByOperators(timeline, assignments.get(transcript.conversation) ?? [], transcript),
    ]);
  },
};

/** By conversation, the visitor who followed it and read it again at the end. */
function findFollowers(entries: readonly Entry[]): Map<number, Participant> {
  const visitors = new Map<number, Participant>();
  for (const entry of entries)
    if (entry.kind === 'final_state_found') visitors.set(entry.conversation, entry.participant);
  return visitors;
}

/** The messages of one conversation as all participants saw them. */
class Transcript {
  readonly conversation: number;
  readonly problems: Problem[] = [];
  /** Positions of `message.created` events: by sequence number, and those that each participant received. */
  readonly positions = new Map<number, number>();
  readonly receivedPositions = new Map<Participant, Set<number>>();
  readonly #messages = new Map<number, MessageView>();
  readonly #byClientId = new Map<string, number>();
  readonly #seenBy = new Map<Participant, Set<number>>();
  readonly #streamed = new Map<Participant, { sequence: number; position: number }[]>();
  readonly #sent: MessageSent[] = [];

  constructor(conversation: number) {
    this.conversation = conversation;
  }

  addSent(entry: MessageSent): void {
    this.#sent.push(entry);
    this.#checkConsistency(entry.message, entry.at);
  }

  addRead(participant: Participant, list: readonly MessageView[], at: number): void {
    for (const message of list) {
      this.#checkConsistency(message, at);
      this.#markSeen(participant, message.sequence);
    }
  }

  addReceived({ participant, message, position, at }: EventReceived): void {
    const positions = this.receivedPositions.get(participant) ?? new Set();
    this.receivedPositions.set(participant, positions.add(position));
    // An operator who has lost the conversation receives the event without the message.
    if (!message) return;
    this.#checkConsistency(message, at);
    const { sequence } = message;
    this.positions.set(sequence, position);
    const streamed = this.#streamed.get(participant) ?? [];
    this.#streamed.set(participant, streamed);
    if (streamed.some((earlier) => earlier.sequence === sequence))
      this.#report(`${participant} received message ${sequence} twice`, at);
    const last = streamed.at(-1);
    if (last && position > last.position && sequence < last.sequence)
      this.#report(`${participant} received message ${sequence} after ${last.sequence}`, at);
    streamed.push({ sequence, position });
    this.#markSeen(participant, sequence);
  }

  /** Messages that did not reach the visitor although they were acknowledged or precede a known message. */
  findMissing(visitor: Participant | undefined): Problem[] {
    const problems: Problem[] = [];
    const report = (message: string, at: number) =>
      problems.push({ message: `conversation ${this.conversation}: ${message}`, at });
    const seen = visitor ? this.#seenBy.get(visitor) : undefined;
    const seenByAny = new Set([...this.#seenBy.values()].flatMap((numbers) => [...numbers]));
    for (const { participant, message, at } of this.#sent) {
      if (!(seen ?? seenByAny).has(message.sequence) && (visitor || seenByAny.size > 0))
        report(`message ${message.sequence} of ${participant} was acknowledged but is lost`, at);
    }
    if (!visitor || !seen) return problems;
    // The visitor followed it from the start and read it all at the end: both must show the same messages.
    const streamed = new Set((this.#streamed.get(visitor) ?? []).map(({ sequence }) => sequence));
    const last = Math.max(0, ...this.#messages.keys());
    for (let sequence = 1; sequence <= last; sequence++) {
      if (!seen.has(sequence)) report(`${visitor} never received message ${sequence} of ${last}`, 0);
      else if (!streamed.has(sequence)) report(`the stream of ${visitor} skipped message ${sequence} of ${last}`, 0);
    }
    return problems;
  }

  #markSeen(participant: Participant, sequence: number): void {
    const seen = this.#seenBy.get(participant) ?? new Set();
    this.#seenBy.set(participant, seen.add(sequence));
  }

  /** All participants see the same message at all times, and each client id has one message. */
  #checkConsistency(message: MessageView, at: number): void {
    const { sequence, clientId, author, text } = message;
    const known = this.#messages.get(sequence);
    // Everyone reads notices in their own language.
    const hasSameText = known?.text === text || author === 'NOTICE';
    if (known && (!hasSameText || known.author !== author))
      this.#report(`message ${sequence} is not the same for all participants`, at);
    this.#messages.set(sequence, message);
    if (clientId === null) return; // the client ids of one side are not shown to the other
    const key = `${author} ${clientId}`;
    const earlierSequence = this.#byClientId.get(key);
    if (earlierSequence !== undefined && earlierSequence !== sequence)
      this.#report(`the message ${clientId} exists twice: as ${earlierSequence} and as ${sequence}`, at);
    this.#byClientId.set(key, sequence);
  }

  #report(message: string, at: number): void {
    this.problems.push({ message: `conversation ${this.conversation}: ${message}`, at });
  }
}

/** While an operator has a conversation, their desk receives every message in it. */
function findMissedByOperators(
  { events }: Timeline,
  assignments: readonly Assignment[],
  transcript: Transcript,
): Problem[] {
  const problems: Problem[] = [];
  for (const { participant, conversation, from, to, notifiedAt } of assignments) {
    // Messages after the desk's last event may still be in transit.
    const lastPosition = events.get(participant)?.at(-1)?.position ?? 0;
    const received = transcript.receivedPositions.get(participant);
    for (const [sequence, position] of transcript.positions) {
      if (position <= from || position >= Math.min(to, lastPosition) || received?.has(position)) continue;
      const message = `conversation ${conversation}: the desk of ${participant} did not receive message ${sequence} at position ${position}`;
      problems.push({ message, at: notifiedAt });
    }
  }
  return problems;
}
