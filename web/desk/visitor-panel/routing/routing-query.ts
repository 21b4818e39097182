import { graphql, runPermittedQuery } from '../../../shared/api/query.ts';
import { type Answer, succeed } from '../../../shared/api/request.ts';
import type { RoutingDecision } from './decision.ts';

const decisionsQuery = graphql(`
  query RoutingDecisions($conversationId: ID!, $after: ID) {
    routingDecisions(conversationId: $conversationId, after: $after, first: 50) {
      id at cause forced
      operator { id pseudo }
      actor { type id name }
      need { language skill { name } group { name } website { label } }
      ranked { servedLast priority share assignedAt operator { id pseudo } }
      excluded { reason count }
    }
  }
`);

const PAGE_LENGTH = 50;

/** The decision that brought the conversation to its operator. Null if there is none, or the viewer may not read it. */
export async function readLastDecision(conversationId: string): Promise<Answer<RoutingDecision | null>> {
  let last: RoutingDecision | null = null;
  let after: string | null = null;
  for (;;) {
    const answer: Awaited<ReturnType<typeof readPage>> = await readPage(conversationId, after);
    if (!answer.ok) return answer;
    const decisions: readonly RoutingDecision[] = answer.value.routingDecisions ?? [];
    last = decisions.findLast(({ operator }) => operator !== null) ?? last;
    if (decisions.length < PAGE_LENGTH) return succeed(last);
    after = decisions.at(-1)?.id ?? null;
  }
}

function readPage(conversationId: string, after: string | null) {
  return runPermittedQuery(decisionsQuery, { conversationId, after });
}
