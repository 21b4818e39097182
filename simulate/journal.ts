import type { Channel, Departure } from './plan.ts';

/**
 * What the people of a simulation did, were answered and were told, in the order in which it came to them. All checks and
 * figures are made from this alone. Times are epoch milliseconds of this machine; `serverAt` is what the service says.
 */

/** Somebody by their number in the plan. */
export type Who = `operator ${number}` | `visitor ${number}`;

/** What became of a request. Without an answer nobody knows whether it was carried out. */
export type Outcome = 'done' | 'refused' | 'failed' | 'unknown';

/** A message as somebody was shown it. */
export interface ShownMessage {
  readonly sequence: number;
  readonly clientId: string | null;
  readonly author: string;
  readonly text: string;
}

interface At {
  readonly at: number;
}

/** An operator as they were made for the run. */
export interface Hired extends At {
  readonly kind: 'hired';
  readonly who: Who;
  readonly chatMaxNumber: number;
  readonly chatAndCall: boolean;
}

/** The operator's wish for channels, as it was acknowledged. */
export interface Wished extends At {
  readonly kind: 'wished';
  readonly who: Who;
  readonly available: boolean;
  readonly askedAt: number;
}

/** The operator said that they are there without a desk, until then at the latest. */
export interface Leased extends At {
  readonly kind: 'leased';
  readonly who: Who;
  readonly until: number;
}

/** A stream of events began: of a desk, or of one conversation. */
export interface Opened extends At {
  readonly kind: 'opened';
  readonly who: Who;
  readonly stream: number;
  readonly conversation: number | null;
  /** The position after which it goes on; null for a new one. */
  readonly after: number | null;
}

/** The service took the connection of a stream. */
export interface Connected extends At {
  readonly kind: 'connected';
  readonly who: Who;
  readonly stream: number;
}

export interface Ended extends At {
  readonly kind: 'ended';
  readonly who: Who;
  readonly stream: number;
  /** On purpose, and in which way; or lost. */
  readonly how: Departure | 'finished' | 'lost';
}

/** An event that came by a stream. */
export interface Told extends At {
  readonly kind: 'told';
  readonly who: Who;
  readonly stream: number;
  readonly position: number;
  readonly type: string;
  readonly serverAt: number;
  readonly conversation: number | null;
  readonly reason: string | null;
  readonly message: ShownMessage | null;
}

/** A request ended, after so many tries. */
export interface Answered extends At {
  readonly kind: 'answered';
  readonly who: Who | 'admin';
  readonly operation: string;
  readonly askedAt: number;
  readonly outcome: Outcome;
  /** Of what was not done: the code that the service gave, or what the connection did. */
  readonly code: string | null;
  readonly tries: number;
  /** Of the tries, those that got no answer. */
  readonly unanswered: number;
  /** What each try but the last came to: a code of the service, or what the connection did. */
  readonly earlier?: readonly string[];
  readonly conversation: number | null;
}

export interface Started extends At {
  readonly kind: 'started';
  readonly who: Who;
  readonly conversation: number;
  readonly askedAt: number;
  readonly createdAt: number;
  readonly channel: Channel;
  /** Equal for those who ask for the same. */
  readonly need: string;
}

/** A message was acknowledged. */
export interface Sent extends At {
  readonly kind: 'sent';
  readonly who: Who;
  readonly conversation: number;
  readonly message: ShownMessage;
}

/** Messages that were read, not told: what was there before a stream began, or at the end. */
export interface Read extends At {
  readonly kind: 'read';
  readonly who: Who;
  readonly conversation: number;
  readonly messages: readonly ShownMessage[];
}

/** A visitor would not wait any longer. */
export interface Left extends At {
  readonly kind: 'left';
  readonly who: Who;
  readonly conversation: number;
}

/** How a visitor found their conversation at the end of the run. */
export interface Found extends At {
  readonly kind: 'found';
  readonly who: Who;
  readonly conversation: number;
  readonly state: string;
}

export type Entry =
  | Hired
  | Wished
  | Leased
  | Opened
  | Connected
  | Ended
  | Told
  | Answered
  | Started
  | Sent
  | Read
  | Left
  | Found;

export type NewEntry = Entry extends infer One ? (One extends Entry ? Omit<One, 'at'> : never) : never;

export class Journal {
  readonly entries: Entry[] = [];
  #streams = 0;

  add<One extends NewEntry>(entry: One): One & At {
    const kept = { ...entry, at: now() };
    this.entries.push(kept as Entry);
    return kept;
  }

  /** A number for a new stream. */
  nextStream(): number {
    this.#streams += 1;
    return this.#streams;
  }
}

/** Finer than `Date.now()`, and never backwards. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
