import { sql } from 'kysely';
import { z } from 'zod';
import type { Transaction } from '../../../storage/database.ts';
import { hotStatement } from '../../../storage/prepared-statement.ts';
import { routingSettings } from '../../access/account-settings.ts';
import { announce } from '../../events/announce.ts';
import { systemContext, type VisitorCaller } from '../../kernel/caller.ts';
import { CHANNELS } from '../../kernel/channels.ts';
import { DomainError, invalid, type Problem } from '../../kernel/errors.ts';
import { id, nextId } from '../../kernel/ids.ts';
import { languageCode } from '../../kernel/languages.ts';
import { targetsOf } from '../../operators/targets.ts';
import { type Conversation, placed } from '../records/conversation.ts';
import { change, insertConversation } from '../records/conversation-store.ts';
import { storeMessage } from '../records/message-store.ts';
import { endedPauses } from '../records/pauses.ts';
import { isServable } from '../routing/needs.ts';
import { endPausesOf } from '../routing/queue.ts';
import { route } from '../routing/router.ts';
import { clientId, messageText } from './messages.ts';

/** Open conversations of one visitor. */
const MOST_OPEN = 5;

export const conversationStart = z.strictObject({
  channel: z.enum(CHANNELS),
  skillId: id.nullish(),
  groupId: id.nullish(),
  language: languageCode.nullish(),
  message: messageText.nullish(),
  clientId: clientId.nullish(),
});
export type ConversationStart = z.output<typeof conversationStart>;

/** Why a conversation was not taken at all. */
export class Refusal extends DomainError {
  readonly reason: 'queue_full' | 'nobody_could' | 'too_many_open';

  constructor(reason: Refusal['reason'], message: string) {
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
    input.clientId ? sameStart(tx, visitor, input.clientId) : undefined,
    tx.run(countOpen, { accountId, visitorId }),
    missingTargets(tx, accountId, input),
    endedPauses(tx, accountId),
    nextId(tx, accountId, 'conversation'),
    routingSettings(tx, accountId), // for the search, which then finds them read
  ]);
  if (earlier) return earlier;
  if ((open[0]?.count ?? 0) >= MOST_OPEN) throw tooManyOpen();
  if (problems.length > 0) throw invalid(problems);
  // Nobody who comes now is served before those whom a pause kept waiting.
  for (const operatorId of paused) await endPausesOf(tx, systemContext(accountId), operatorId);
  const asked = {
    accountId,
    channel: input.channel,
    websiteId,
    skillId: input.skillId ?? null,
    groupId: input.groupId ?? null,
    language: input.language ?? visitor.language,
  };
  const conversation: Conversation = {
    ...asked,
    id,
    visitorId,
    clientId: input.clientId ?? null,
    operatorId: null,
    state: 'queued',
    createdAt: tx.now,
    queueOrder: tx.now,
    hasWaited: 0,
    offeredAt: null,
    offerUntil: null,
    acceptedAt: null,
    firstAnswerAt: null,
    closedAt: null,
    closedBy: null,
    closedById: null,
    messageCount: input.message ? 1 : 0,
    escalatedFromId: null,
    changedHands: 0,
  };
  tx.send(insertConversation, conversation);
  announce(tx, visitor, 'conversation.queued', conversation.id, {
    fields: Object.keys(placed(conversation)),
    values: placed(conversation),
  });
  if (input.message) {
    const author = { authorType: 'visitor', authorId: visitorId, clientId: input.clientId ?? null } as const;
    storeMessage(tx, visitor, conversation, { ...author, text: input.message, sequence: 1 });
  }
  const routed = await route(tx, visitor, conversation, 'started');
  if (routed) return routed;
  await refuseHopeless(tx, conversation);
  return (await change(tx, conversation, { hasWaited: 1 })) ?? conversation;
}

const findSame = hotStatement<{ accountId: number; visitorId: number; clientId: string }, Conversation>(
  (db, { accountId, visitorId, clientId: name }) =>
    db
      .selectFrom('conversations')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('visitorId', '=', visitorId)
      .where('clientId', '=', name),
);

/** A start that was sent again. */
async function sameStart(
  tx: Transaction,
  { accountId, visitorId }: VisitorCaller,
  name: string,
): Promise<Conversation | undefined> {
  return (await tx.run(findSame, { accountId, visitorId, clientId: name }))[0];
}

const countOpen = hotStatement<{ accountId: number; visitorId: number }, { count: number }>(
  (db, { accountId, visitorId }) =>
    db
      .selectFrom('conversations')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('accountId', '=', accountId)
      .where('visitorId', '=', visitorId)
      .where('state', '<>', 'closed'),
);

function tooManyOpen(): Refusal {
  return new Refusal(
    'too_many_open',
    `At most ${MOST_OPEN} conversations can be open at the same time. Close one first.`,
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

const countWaiting = hotStatement<{ accountId: number; most: number }, { count: number }>((db, { accountId, most }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('conversations')
        .select('id')
        .where('accountId', '=', accountId)
        .where('state', '=', sql.lit('queued'))
        .limit(most)
        .as('waiting'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count')),
);

/** Nobody is free: is there anybody at all, and is there a place in the queue? */
async function refuseHopeless(tx: Transaction, conversation: Conversation): Promise<void> {
  if (!(await isServable(tx, conversation))) {
    throw new Refusal(
      'nobody_could',
      'Nobody here can answer this: no operator serves this website, skill, group and language on this channel.',
    );
  }
  const { queueLimit } = await routingSettings(tx, conversation.accountId);
  const [waiting] = await tx.run(countWaiting, { accountId: conversation.accountId, most: queueLimit + 1 });
  if ((waiting?.count ?? 0) > queueLimit)
    throw new Refusal('queue_full', 'Too many people are waiting. Try again later.');
}

/** Counts what was not taken, by day: nothing is dropped without a trace. */
export async function countRefusal(tx: Transaction, visitor: VisitorCaller, { reason }: Refusal): Promise<void> {
  const { accountId, websiteId } = visitor;
  const day = new Date(tx.now).toISOString().slice(0, 10);
  await tx.db
    .insertInto('refusals')
    .values({ accountId, day, websiteId, reason, count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['accountId', 'day', 'websiteId', 'reason'])
        .doUpdateSet((eb) => ({ count: eb('refusals.count', '+', 1) })),
    )
    .execute();
}
