import type { Channel, Departure } from './plan.ts';

/**
 * What the participants of a simulation did and received, in the order in which they saw it. All checks and figures use
 * only this. Times are epoch milliseconds of this machine; `serverAt` is the time of the service.
 */

/** A participant by index in the plan. */
export type Participant = `operator ${number}` | `visitor ${number}`;

/** The outcome of a request. It is unknown if there was no response. */
export type Outcome = 'done' | 'refused' | 'failed' | 'unknown';

/** A message as a participant saw it. */
export interface MessageView {
  readonly sequence: number;
  readonly clientId: string | null;
  readonly author: string;
  readonly text: string;
  readonly attachments?: readonly AttachmentView[];
}

/** A file of a message. The address is for operators, who download it. */
export interface AttachmentView {
  readonly id: string;
  readonly size: number;
  readonly url?: string;
}

interface Timestamped {
  readonly at: number;
}

export interface OperatorCreated extends Timestamped {
  readonly kind: 'operator_created';
  readonly participant: Participant;
  readonly chatMaxNumber: number;
  readonly chatAndCall: boolean;
}

/** An acknowledged change of the operator's availability. */
export interface AvailabilitySet extends Timestamped {
  readonly kind: 'availability_set';
  readonly participant: Participant;
  readonly available: boolean;
  readonly requestedAt: number;
}

/** The operator connected without a desk; the lease ends at `until` at the latest. */
export interface LeaseRequested extends Timestamped {
  readonly kind: 'lease_requested';
  readonly participant: Participant;
  readonly until: number;
}

/** An event stream of a desk or of one conversation was opened. */
export interface StreamOpened extends Timestamped {
  readonly kind: 'stream_opened';
  readonly participant: Participant;
  readonly stream: number;
  readonly conversation: number | null;
  /** The position after which it resumes. Visitors do not see it: 0 until `locateVisitorEvents` has found it. */
  after: number;
}

/** The service accepted the connection of a stream. */
export interface StreamConnected extends Timestamped {
  readonly kind: 'stream_connected';
  readonly participant: Participant;
  readonly stream: number;
}

export interface StreamEnded extends Timestamped {
  readonly kind: 'stream_ended';
  readonly participant: Participant;
  readonly stream: number;
  /** How it was ended on purpose, or `lost`. */
  readonly how: Departure | 'page_closed' | 'finished' | 'lost';
}

export interface EventReceived extends Timestamped {
  readonly kind: 'event_received';
  readonly participant: Participant;
  readonly stream: number;
  /** Visitors do not see it: 0 until `locateVisitorEvents` has found it. */
  position: number;
  readonly type: string;
  readonly serverAt: number;
  readonly conversation: number | null;
  readonly reason: string | null;
  readonly message: MessageView | null;
}

/** The final result of a request after all attempts. */
export interface RequestCompleted extends Timestamped {
  readonly kind: 'request_completed';
  readonly participant: Participant | 'admin';
  readonly operation: string;
  readonly requestedAt: number;
  readonly outcome: Outcome;
  /** For failures: the error code of the service or of the connection. */
  readonly code: string | null;
  readonly attempts: number;
  /** The number of attempts without a response. */
  readonly attemptsWithoutResponse: number;
  /** The error codes of all attempts but the last. */
  readonly earlierCodes?: readonly string[];
  readonly conversation: number | null;
}

export interface ConversationStarted extends Timestamped {
  readonly kind: 'conversation_started';
  readonly participant: Participant;
  readonly conversation: number;
  readonly requestedAt: number;
  readonly createdAt: number;
  readonly channel: Channel;
  /** Equal for conversations with the same requirements. */
  readonly need: string;
  /** Minutes of absence after which it ends; 0 is never. */
  readonly absenceMinutes: number;
}

/** An acknowledged message. */
export interface MessageSent extends Timestamped {
  readonly kind: 'message_sent';
  readonly participant: Participant;
  readonly conversation: number;
  readonly message: MessageView;
}

/** Messages from a query, not from a stream: those before the stream was opened, or all at the end. */
export interface MessagesRead extends Timestamped {
  readonly kind: 'messages_read';
  readonly participant: Participant;
  readonly conversation: number;
  readonly messages: readonly MessageView[];
}

/** The visitor stopped waiting. */
export interface ConversationAbandoned extends Timestamped {
  readonly kind: 'conversation_abandoned';
  readonly participant: Participant;
  readonly conversation: number;
}

/** The state of the conversation at the end of the run, as its visitor read it. */
export interface FinalStateFound extends Timestamped {
  readonly kind: 'final_state_found';
  readonly participant: Participant;
  readonly conversation: number;
  readonly state: string;
  /** By the service's clock; null if it is open. */
  readonly closedAt: number | null;
  readonly closeReason: string | null;
  readonly unreadCount: number;
  readonly requestedAt: number;
}

/** The visitor marked the messages up to a sequence number as read. */
export interface ReadMarked extends Timestamped {
  readonly kind: 'read_marked';
  readonly participant: Participant;
  readonly conversation: number;
  readonly upTo: number;
  /** If not, it is unknown whether the service stored it. */
  readonly isAcknowledged: boolean;
}

/** A visitor sent a file with an acknowledged message. */
export interface FileSent extends Timestamped {
  readonly kind: 'file_sent';
  readonly participant: Participant;
  readonly conversation: number;
  readonly sequence: number;
  readonly id: string;
  readonly size: number;
  readonly sha256: string;
}

/** An operator downloaded a file. The status is null if there was no response. */
export interface FileReceived extends Timestamped {
  readonly kind: 'file_received';
  readonly participant: Participant;
  readonly conversation: number;
  readonly id: string;
  readonly status: number | null;
  readonly size: number;
  readonly sha256: string;
}

export type Entry =
  | OperatorCreated
  | AvailabilitySet
  | LeaseRequested
  | StreamOpened
  | StreamConnected
  | StreamEnded
  | EventReceived
  | RequestCompleted
  | ConversationStarted
  | MessageSent
  | MessagesRead
  | ConversationAbandoned
  | ReadMarked
  | FileSent
  | FileReceived
  | FinalStateFound;

export type NewEntry = Entry extends infer One ? (One extends Entry ? Omit<One, 'at'> : never) : never;

export class Journal {
  readonly entries: Entry[] = [];
  #streams = 0;

  add<One extends NewEntry>(entry: One): One & Timestamped {
    const timestamped = { ...entry, at: now() };
    this.entries.push(timestamped as Entry);
    return timestamped;
  }

  /** A number for a new stream. */
  nextStream(): number {
    this.#streams += 1;
    return this.#streams;
  }
}

/** Monotonic, and more precise than `Date.now()`. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
