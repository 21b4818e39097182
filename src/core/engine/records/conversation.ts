import type { Selectable } from 'kysely';
import type { Tables } from '../../../storage/tables.ts';
import { DomainError } from '../../kernel/errors.ts';

/** A conversation of a visitor with the operators of an account, as it is kept. */
export type Conversation = Selectable<Tables['conversations']>;

export type ConversationState = Conversation['state'];

/** Who is away from a running conversation for so long loses it to the head of the queue. */
export const LOST_MS = 60_000;

/** Who declined or missed an offer is not offered the same conversation again for so long. */
export const PAUSE_MS = 60_000;

/** After so many offers in a row that timed out, the operator's wish for the channel is taken back. */
export const MOST_MISSED = 3;

/** Before every moment at which a conversation can begin: the head of the queue. */
export const HEAD_OF_QUEUE = -4_102_444_800_000;

/** The present state of a conversation does not allow what was asked for; nothing was changed. */
export function wrongState(message: string): DomainError {
  return new DomainError('state', message);
}

/** What an event tells about a conversation: never what was said. */
export function placed(conversation: Conversation) {
  const { state, channel, websiteId, skillId, groupId, operatorId, visitorId } = conversation;
  return { state, channel, websiteId, skillId, groupId, operatorId, visitorId };
}
