import { graphql, runPermittedQuery } from '../../../shared/api/query.ts';
import { type Answer, succeed } from '../../../shared/api/request.ts';
import type { Channel } from '../../state/model.ts';

const earlierQuery = graphql(`
  query EarlierConversations($conversationId: ID!, $first: Int!, $after: String) {
    conversation(id: $conversationId) {
      visitor {
        conversations(first: $first, after: $after) {
          nodes { id channel state createdAt skill { name } messages(first: 1) { author text } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }
`);

export interface EarlierConversation {
  readonly id: string;
  readonly channel: Channel;
  readonly createdAt: string;
  readonly skill: { readonly name: string } | null;
  /** What the visitor wrote first. Empty if they wrote nothing. */
  readonly firstWords: string;
}

export interface EarlierConversations {
  readonly conversations: readonly EarlierConversation[];
  readonly hasMore: boolean;
}

/** The closed conversations of the visitor, newest first. Null if the operator may not see them. */
export async function readEarlier(conversationId: string, pages: number): Promise<Answer<EarlierConversations | null>> {
  const conversations: EarlierConversation[] = [];
  let after: string | null = null;
  for (let page = 1; ; page += 1) {
    const answer: Awaited<ReturnType<typeof readPage>> = await readPage(conversationId, after);
    if (!answer.ok) return answer;
    const found = answer.value.conversation?.visitor?.conversations;
    if (!found) return succeed(null);
    const closed = found.nodes.filter(({ id, state }) => state === 'CLOSED' && id !== conversationId);
    conversations.push(
      ...closed.map(({ id, channel, createdAt, skill, messages: [first] }) => {
        return { id, channel, createdAt, skill, firstWords: first?.author === 'VISITOR' ? first.text : '' };
      }),
    );
    if (page === pages || !found.pageInfo.hasNextPage) {
      return succeed({ conversations, hasMore: found.pageInfo.hasNextPage });
    }
    after = found.pageInfo.endCursor ?? null;
  }
}

function readPage(conversationId: string, after: string | null) {
  return runPermittedQuery(earlierQuery, { conversationId, first: 10, after });
}
