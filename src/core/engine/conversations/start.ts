import { z } from 'zod';
import type { Transaction } from '../../../storage/database.ts';
import { loadRoutingSettings } from '../../access/account-settings.ts';
import { getOpeningStatus } from '../../directory/opening-hours.ts';
import { loadStartSettings, type StartSettings } from '../../directory/website-store.ts';
import { announce } from '../../events/announce.ts';
import { systemContext, type VisitorCaller } from '../../kernel/caller.ts';
import { CHANNELS } from '../../kernel/channels.ts';
import { DomainError, invalid, type Problem } from '../../kernel/errors.ts';
import { id, nextId } from '../../kernel/ids.ts';
import { languageCode } from '../../kernel/languages.ts';
import { createTargetLookup } from '../../operators/targets.ts';
import { type Conversation, newConversation, toEventSnapshot } from '../records/conversation.ts';
import {
  type ConversationChanges,
  countQueuedConversations,
  findConversationByClientId,
  findOpenConversations,
  insertConversation,
} from '../records/conversation-store.ts';
import { storeMessage } from '../records/message-store.ts';
import { findOperatorsWithEndedPauses } from '../records/pauses.ts';
import type { RefusalReason } from '../records/refusals.ts';
import { isServable } from '../routing/needs.ts';
import { endOperatorPauses } from '../routing/queue.ts';
import { route } from '../routing/router.ts';
import { loadRoutingLists } from '../routing/routing-lists.ts';
import { clientId, messageText } from './messages.ts';

const MAX_OPEN_CONVERSATIONS_PER_VISITOR = 5;

export const conversationStart = z.strictObject({
  channel: z.enum(CHANNELS),
  skillId: id.nullish(),
  groupId: id.nullish(),
  language: languageCode.nullish(),
  message: messageText.nullish(),
  clientId: clientId.nullish(),
});
export type ConversationStart = z.output<typeof conversationStart>;

/** The service did not accept the conversation. */
export class Refusal extends DomainError {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, parameters: Readonly<Record<string, string>> = {}) {
    super(reason === 'nobody_could' || reason === 'closed' ? 'state' : 'limit', message, { reason, parameters });
    this.reason = reason;
  }
}

/** Starts a conversation and routes it; it stays queued when no operator is available. */
export async function startConversation(
  tx: Transaction,
  visitor: VisitorCaller,
  input: ConversationStart,
): Promise<Conversation> {
  const { accountId, visitorId, websiteId } = visitor;
  const [earlierConversation, openConversations, problems, operatorsWithEndedPauses, id, website] = await Promise.all([
    input.clientId ? findConversationByClientId(tx, visitor, input.clientId) : undefined,
    findOpenConversations(tx, visitor),
    findMissingTargets(tx, accountId, input),
    findOperatorsWithEndedPauses(tx, accountId),
    nextId(tx, accountId, 'conversation'),
    loadStartSettings(tx, accountId, websiteId),
    loadRoutingSettings(tx, accountId), // cached for routing
    loadRoutingLists(tx, accountId),
  ]);
  if (earlierConversation) return earlierConversation;
  if (openConversations.length >= MAX_OPEN_CONVERSATIONS_PER_VISITOR) throw tooManyOpenError();
  if (problems.length > 0) throw invalid(problems);
  requireOpen(website, tx.now);
  // Conversations that waited only because of a pause come before this new one.
  for (const operatorId of operatorsWithEndedPauses) await endOperatorPauses(tx, systemContext(accountId), operatorId);
  const conversation = newConversation({
    accountId,
    id,
    visitorId,
    channel: input.channel,
    websiteId,
    ...chooseTarget(input, website),
    language: input.language ?? visitor.language,
    createdAt: tx.now,
    messageCount: input.message ? 1 : 0,
  });
  announce(tx, visitor, 'conversation.queued', conversation.id, {
    fields: Object.keys(toEventSnapshot(conversation)),
    values: toEventSnapshot(conversation),
  });
  if (input.message) {
    const author = { authorType: 'visitor', authorId: visitorId, clientId: input.clientId ?? null } as const;
    storeMessage(tx, visitor, conversation, { ...author, text: input.message, sequence: 1 });
  }
  const store = (changes: ConversationChanges) => {
    const stored = { ...conversation, ...changes };
    insertConversation(tx, visitor, stored, input.clientId);
    return stored;
  };
  const routed = await route(tx, visitor, conversation, 'started', store);
  if (routed) return routed;
  await requireQueueable(tx, conversation);
  return store({ hasWaited: true });
}

function tooManyOpenError(): Refusal {
  return new Refusal(
    'too_many_open',
    `At most ${MAX_OPEN_CONVERSATIONS_PER_VISITOR} conversations can be open at the same time. Close one first.`,
    { limit: String(MAX_OPEN_CONVERSATIONS_PER_VISITOR) },
  );
}

/** Throws a `Refusal` outside the opening hours. A website that was deleted meanwhile has none. */
function requireOpen(website: StartSettings | undefined, now: number): void {
  const status = website && getOpeningStatus(website.openingHours, website.timezone, now);
  if (!status || status.isOpen) return;
  if (status.opensAt === null) throw new Refusal('closed', 'The website is closed.');
  const opensAt = new Date(status.opensAt).toISOString();
  throw new Refusal('closed', `The website is closed until ${opensAt}.`, { opensAt });
}

/** A conversation that names neither a skill nor a group asks for those of its website. */
function chooseTarget({ skillId, groupId }: ConversationStart, website: StartSettings | undefined) {
  const { skillId: usualSkillId, groupId: usualGroupId } = website?.widget ?? {};
  const isNamed = typeof skillId === 'number' || typeof groupId === 'number';
  return isNamed
    ? { skillId: skillId ?? null, groupId: groupId ?? null }
    : { skillId: usualSkillId ?? null, groupId: usualGroupId ?? null };
}

async function findMissingTargets(
  tx: Transaction,
  accountId: number,
  { skillId, groupId }: Pick<ConversationStart, 'skillId' | 'groupId'>,
): Promise<Problem[]> {
  const targets = createTargetLookup(tx, accountId);
  const [hasSkill, hasGroup] = await Promise.all([
    targets.allExist('skills', skillId ? [skillId] : []),
    targets.allExist('groups', groupId ? [groupId] : []),
  ]);
  const missing = [...(hasSkill ? [] : ['skill']), ...(hasGroup ? [] : ['group'])];
  return missing.map((kind) => ({ path: [`${kind}Id`], code: 'invalid', rule: `must be an existing ${kind}` }));
}

/** Throws a `Refusal` if no operator could ever serve the conversation, or if the queue is full. */
async function requireQueueable(tx: Transaction, conversation: Conversation): Promise<void> {
  if (!(await isServable(tx, conversation))) {
    throw new Refusal('nobody_could', 'No operator serves this website, skill, group and language on this channel.');
  }
  const { queueLimit } = await loadRoutingSettings(tx, conversation.accountId);
  if ((await countQueuedConversations(tx, conversation.accountId, queueLimit)) >= queueLimit)
    throw new Refusal('queue_full', 'Too many visitors are waiting. Try again later.');
}
