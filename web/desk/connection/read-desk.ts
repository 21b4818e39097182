import { runQuery } from '../../shared/api/query.ts';
import { type Answer, fail, succeed } from '../../shared/api/request.ts';
import type { ConversationReading, DeskReading } from '../state/change.ts';
import type { DeskAccount, DeskConversation, Message, Viewer } from '../state/model.ts';
import { findMidnight } from '../state/select-conversations.ts';
import { CONVERSATION, CONVERSATIONS, MESSAGES, MESSAGES_LEFT, READ_ACCOUNT, START } from './queries.ts';

/** As many as a document may fetch within the limits of the service. */
const WITH_MESSAGES = { first: 12, last: 30 };
const WITH_LAST_MESSAGE = { first: 100, last: 1 };
const MAX_MESSAGES = 100;

interface Filter {
  readonly id?: string;
  readonly operatorId?: string;
  readonly state?: DeskConversation['state'];
  readonly closedFrom?: string;
}

/**
 * Everything that a desk shows at first. The position is read before, so that no event is missed. Of closed
 * conversations only the last message is read, the others later.
 */
export async function readDesk(now: number): Promise<Answer<DeskReading>> {
  const start = await runQuery(START);
  if (!start.ok) return start;
  const { eventPosition, viewer, account } = start.value;
  const operatorId = viewer.id;
  const closedFrom = new Date(findMidnight(now)).toISOString();
  const [left, ...lists] = await Promise.all([
    countMessagesLeft(findRole(viewer.roles)),
    listConversations({ operatorId, state: 'OFFERED' }, WITH_MESSAGES),
    listConversations({ operatorId, state: 'ACTIVE' }, WITH_MESSAGES),
    listConversations({ operatorId, closedFrom }, WITH_LAST_MESSAGE),
  ]);
  const failed = [left, ...lists].find(({ ok }) => !ok);
  if (failed && !failed.ok) return failed;
  const { preferences, roles, ...fields } = viewer;
  if (preferences === null) return fail({ kind: 'unreachable' }); // an operator always reads their own
  return succeed({
    position: eventPosition,
    viewer: {
      ...fields,
      role: findRole(roles),
      chatToVideo: fields.chatToVideo ?? false,
      preferences,
    },
    account,
    messagesLeftOpen: left.ok ? left.value : 0,
    conversations: lists.flatMap((list) => (list.ok ? list.value : [])),
  });
}

/** The newest messages with it; null if there is no such conversation. */
export async function readConversations(
  ids: readonly string[],
): Promise<Answer<{ readonly position: string; readonly conversations: readonly ConversationReading[] }>> {
  const filter = { id: ids.join(',') };
  const answer = await runQuery(CONVERSATIONS, { filter, first: ids.length, last: NEWEST_MESSAGES });
  if (!answer.ok) return answer;
  const { eventPosition, conversations } = answer.value;
  return succeed({ position: eventPosition, conversations: conversations.nodes });
}

/** Also one that is in no list of the viewer, such as an earlier one of a visitor whom they serve. */
export async function readConversation(
  id: string,
): Promise<Answer<{ readonly position: string; readonly conversations: readonly ConversationReading[] }>> {
  const answer = await runQuery(CONVERSATION, { id, last: NEWEST_MESSAGES });
  if (!answer.ok) return answer;
  const { eventPosition, conversation } = answer.value;
  return succeed({ position: eventPosition, conversations: conversation ? [conversation] : [] });
}

/** How many conversations `readConversations` reads at once. */
export const MAX_CONVERSATIONS = WITH_MESSAGES.first;
/** How many messages of each. */
export const NEWEST_MESSAGES = WITH_MESSAGES.last;

/** The messages after this one, at most a hundred. */
export async function readMessages(
  id: string,
  after: number,
  first = MAX_MESSAGES,
): Promise<Answer<readonly Message[]>> {
  const answer = await runQuery(MESSAGES, { id, after, first });
  return answer.ok ? succeed(answer.value.conversation?.messages ?? []) : answer;
}

export async function readAccount(): Promise<Answer<DeskAccount>> {
  const answer = await runQuery(READ_ACCOUNT);
  return answer.ok ? succeed(answer.value.account) : answer;
}

/** How many are open. Experts may not read them. */
export async function countMessagesLeft(role: Viewer['role']): Promise<Answer<number>> {
  if (role === 'EXPERT') return succeed(0);
  const answer = await runQuery(MESSAGES_LEFT);
  return answer.ok ? succeed(answer.value.messagesLeft?.totalCount ?? 0) : answer;
}

async function listConversations(
  filter: Filter,
  size: typeof WITH_MESSAGES,
): Promise<Answer<readonly ConversationReading[]>> {
  const read: ConversationReading[] = [];
  for (let after: string | null = null; ; ) {
    const answer: Awaited<ReturnType<typeof readPage>> = await readPage({ filter, after, ...size });
    if (!answer.ok) return answer;
    const { nodes, pageInfo } = answer.value;
    read.push(...nodes);
    if (!pageInfo.hasNextPage) return succeed(read);
    after = pageInfo.endCursor;
  }
}

async function readPage(variables: { filter: Filter; after: string | null; first: number; last: number }) {
  const answer = await runQuery(CONVERSATIONS, variables);
  return answer.ok ? succeed(answer.value.conversations) : answer;
}

const ROLES = ['ADMIN', 'MANAGER', 'OPERATOR', 'EXPERT'] as const;

/** The highest one. */
function findRole(roles: readonly Viewer['role'][] | null): Viewer['role'] {
  return ROLES.find((role) => roles?.includes(role)) ?? 'EXPERT';
}
