import type { Channel } from '../../kernel/channels.ts';
import { DomainError } from '../../kernel/errors.ts';

export type ConversationState = 'queued' | 'offered' | 'active' | 'closed';

/** Who ended a conversation. */
export type ClosedBy = 'operator' | 'visitor' | 'api_key' | 'system';

/** A conversation of a visitor with the operators of an account. */
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
  /** Who has it, or is asked. */
  readonly operatorId: number | null;
  /** Its place in the queue: the moment at which it began, or a number before all moments for the head. */
  readonly queueOrder: number;
  /** Whether no operator was free at once. */
  readonly hasWaited: boolean;
  readonly offeredAt: number | null;
  readonly offerUntil: number | null;
  readonly acceptedAt: number | null;
  readonly firstAnswerAt: number | null;
  readonly closedAt: number | null;
  readonly closedBy: ClosedBy | null;
  readonly closedById: number | null;
  /** Also the sequence number of its newest message. */
  readonly messageCount: number;
  /** The chat of which this video is the continuation. */
  readonly escalatedFromId: number | null;
  /** Whether more than one operator has accepted it: then there is a handling for each of them. */
  readonly hasChangedHands: boolean;
}

type Beginning =
  | 'accountId'
  | 'id'
  | 'visitorId'
  | 'channel'
  | 'websiteId'
  | 'skillId'
  | 'groupId'
  | 'language'
  | 'createdAt';

export type NewConversation = Pick<Conversation, Beginning> & Partial<Conversation>;

/** A conversation that waits and to which nothing has happened yet, except for what is given. */
export function newConversation(given: NewConversation): Conversation {
  return {
    state: 'queued',
    operatorId: null,
    queueOrder: given.createdAt,
    hasWaited: false,
    offeredAt: null,
    offerUntil: null,
    acceptedAt: null,
    firstAnswerAt: null,
    closedAt: null,
    closedBy: null,
    closedById: null,
    messageCount: 0,
    escalatedFromId: null,
    hasChangedHands: false,
    ...given,
  };
}

/** The present state of a conversation does not allow what was asked for; nothing was changed. */
export function wrongState(message: string): DomainError {
  return new DomainError('state', message);
}

/** What an event tells about a conversation: never what was said. */
export function eventSnapshot(conversation: Conversation) {
  const { state, channel, websiteId, skillId, groupId, operatorId, visitorId } = conversation;
  return { state, channel, websiteId, skillId, groupId, operatorId, visitorId };
}
