import { z } from 'zod';
import type { Transaction } from '../../../storage/database.ts';
import { routingSettings } from '../../access/account-settings.ts';
import { announce } from '../../events/announce.ts';
import { systemContext, type VisitorCaller } from '../../kernel/caller.ts';
import { CHANNELS } from '../../kernel/channels.ts';
import { DomainError, invalid, type Problem } from '../../kernel/errors.ts';
import { id, nextId } from '../../kernel/ids.ts';
import { languageCode } from '../../kernel/languages.ts';
import { targetsOf } from '../../operators/targets.ts';
import { type Conversation, eventSnapshot, newConversation } from '../records/conversation.ts';
import {
  change,
  countQueuedConversations,
  findOpenConversations,
  findSameStart,
  insertConversation,
} from '../records/conversation-store.ts';
import { storeMessage } from '../records/message-store.ts';
import { endedPauses } from '../records/pauses.ts';
import type { RefusalReason } from '../records/refusals.ts';
import { isServable } from '../routing/needs.ts';
import { endPausesOf } from '../routing/queue.ts';
import { route } from '../routing/router.ts';
import { clientId, messageText } from './messages.ts';

/** Open conversations of one visitor. */
const MAX_OPEN = 5;

export const conversationStart = z.strictObject({
  channel: z.enum(CHANNELS),
  skillId: id.nullish(),
  groupId: id.nullish(),
  language: languageCode.nullish(),
  message: messageText.nullish(),
  clientId: clientId.nullish(),
});
export type ConversationStart = z.output<typeof conversationStart>;

/** A conversation was not taken at all. */
export class Refusal extends DomainError {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(reason === 'nobody_could' ? 'state' : 'limit', message);
    this.reason = reason;
  }
}

/** Begins a conversation and looks for an operator; when nobody is free it waits. */
export async function startConversation(
  tx: Transaction,
  visitor: VisitorCaller,
  input: ConversationStart,
): Promise<Conversation> {
  const { accountId, visitorId, websiteId } = visitor;
  const [earlier, open, problems, paused, id] = await Promise.all([
    input.clientId ? findSameStart(tx, visitor, input.clientId) : undefined,
    findOpenConversations(tx, visitor),
    missingTargets(tx, accountId, input),
    endedPauses(tx, accountId),
    nextId(tx, accountId, 'conversation'),
    routingSettings(tx, accountId), // for the search, which then finds them read
  ]);
  if (earlier) return earlier;
  if (open.length >= MAX_OPEN) throw tooManyOpen();
  if (problems.length > 0) throw invalid(problems);
  // Nobody who comes now is served before those whom a pause kept waiting.
  for (const operatorId of paused) await endPausesOf(tx, systemContext(accountId), operatorId);
  const conversation = newConversation({
    accountId,
    id,
    visitorId,
    channel: input.channel,
    websiteId,
    skillId: input.skillId ?? null,
    groupId: input.groupId ?? null,
    language: input.language ?? visitor.language,
    createdAt: tx.now,
    messageCount: input.message ? 1 : 0,
  });
  insertConversation(tx, visitor, conversation, input.clientId);
  announce(tx, visitor, 'conversation.queued', conversation.id, {
    fields: Object.keys(eventSnapshot(conversation)),
    values: eventSnapshot(conversation),
  });
  if (input.message) {
    const author = { authorType: 'visitor', authorId: visitorId, clientId: input.clientId ?? null } as const;
    storeMessage(tx, visitor, conversation, { ...author, text: input.message, sequence: 1 });
  }
  const routed = await route(tx, visitor, conversation, 'started');
  if (routed) return routed;
  await refuseHopeless(tx, conversation);
  return (await change(tx, visitor, conversation, { hasWaited: true })) ?? conversation;
}

function tooManyOpen(): Refusal {
  return new Refusal(
    'too_many_open',
    `At most ${MAX_OPEN} conversations can be open at the same time. Close one first.`,
  );
}

async function missingTargets(
  tx: Transaction,
  accountId: number,
  { skillId, groupId }: Pick<ConversationStart, 'skillId' | 'groupId'>,
): Promise<Problem[]> {
  const targets = targetsOf(tx, accountId);
  const [hasSkill, hasGroup] = await Promise.all([
    targets.allExist('skills', skillId ? [skillId] : []),
    targets.allExist('groups', groupId ? [groupId] : []),
  ]);
  const missing = [...(hasSkill ? [] : ['skill']), ...(hasGroup ? [] : ['group'])];
  return missing.map((thing) => ({ path: [`${thing}Id`], code: 'invalid', rule: `must be an existing ${thing}` }));
}

/** Nobody is free: is there anybody at all, and is there a place in the queue? */
async function refuseHopeless(tx: Transaction, conversation: Conversation): Promise<void> {
  if (!(await isServable(tx, conversation))) {
    throw new Refusal(
      'nobody_could',
      'Nobody here can answer this: no operator serves this website, skill, group and language on this channel.',
    );
  }
  const { queueLimit } = await routingSettings(tx, conversation.accountId);
  if ((await countQueuedConversations(tx, conversation.accountId, queueLimit + 1)) > queueLimit)
    throw new Refusal('queue_full', 'Too many people are waiting. Try again later.');
}
