import type { Channel } from '../../kernel/channels.ts';
import { DomainError } from '../../kernel/errors.ts';

export type ConversationState = 'queued' | 'offered' | 'active' | 'closed';

/** Who closed a conversation. */
export type ClosedBy = 'operator' | 'visitor' | 'api_key' | 'system';

/** Why the service closed a conversation. Null if a person or an integration closed it on purpose. */
export type CloseReason = 'visitor_left' | 'idle' | 'nobody_could_serve';

export const CLOSE_REASON_DESCRIPTIONS: Readonly<Record<CloseReason, string>> = {
  visitor_left: 'The visitor left and did not come back in time.',
  idle: 'Neither side wrote a message in time.',
  nobody_could_serve: 'No operator could serve it any more.',
};

/** A conversation between a visitor and the operators of an account. */
export interface Conversation {
  readonly accountId: number;
  readonly id: number;
  readonly visitorId: number | null;
  readonly channel: Channel;
  readonly websiteId: number;
  readonly skillId: number | null;
  readonly groupId: number | null;
  readonly language: string;
  readonly createdAt: number;
  readonly state: ConversationState;
  /** The operator who has accepted it or to whom it is offered. */
  readonly operatorId: number | null;
  /** Sort key in the queue: the creation time, or a negative number for the head of the queue. */
  readonly queueOrder: number;
  /** Whether no operator was available immediately. */
  readonly hasWaited: boolean;
  readonly offeredAt: number | null;
  readonly offerUntil: number | null;
  readonly acceptedAt: number | null;
  readonly firstAnswerAt: number | null;
  readonly closedAt: number | null;
  readonly closedBy: ClosedBy | null;
  readonly closedById: number | null;
  readonly closeReason: CloseReason | null;
  /** Also the sequence number of its newest message. */
  readonly messageCount: number;
  /** The chat from which this video was escalated. */
  readonly escalatedFromId: number | null;
  /** Whether more than one operator has accepted it; each of them then has a handling. */
  readonly hasChangedHands: boolean;
}

type RequiredField =
  | 'accountId'
  | 'id'
  | 'visitorId'
  | 'channel'
  | 'websiteId'
  | 'skillId'
  | 'groupId'
  | 'language'
  | 'createdAt';

export type NewConversation = Pick<Conversation, RequiredField> & Partial<Conversation>;

/** Builds a newly queued conversation; `fields` override the defaults. */
export function newConversation(fields: NewConversation): Conversation {
  return {
    state: 'queued',
    operatorId: null,
    queueOrder: fields.createdAt,
    hasWaited: false,
    offeredAt: null,
    offerUntil: null,
    acceptedAt: null,
    firstAnswerAt: null,
    closedAt: null,
    closedBy: null,
    closedById: null,
    closeReason: null,
    messageCount: 0,
    escalatedFromId: null,
    hasChangedHands: false,
    ...fields,
  };
}

/** Builds the error for an operation that the conversation's current state does not allow. */
export function wrongState(message: string): DomainError {
  return new DomainError('state', message);
}

/** Returns the fields of a conversation that its events carry; never message text. */
export function toEventSnapshot(conversation: Conversation) {
  const { state, channel, websiteId, skillId, groupId, operatorId, visitorId } = conversation;
  return { state, channel, websiteId, skillId, groupId, operatorId, visitorId };
}
