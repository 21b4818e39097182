import { graphql, runQuery } from '../../../shared/api/query.ts';
import { type Answer, succeed } from '../../../shared/api/request.ts';
import type { Named } from '../../state/model.ts';

const tagsQuery = graphql(`
  query TagsOfWebsite($filter: TagFilter!, $after: String) {
    tags(filter: $filter, first: 100, after: $after) {
      nodes { id name }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** The tags that a conversation of a website can have. */
export async function readTags(websiteId: string): Promise<Answer<readonly Named[]>> {
  const tags: Named[] = [];
  let after: string | null = null;
  for (;;) {
    const answer: Awaited<ReturnType<typeof readPage>> = await readPage(websiteId, after);
    if (!answer.ok) return answer;
    const { nodes, pageInfo } = answer.value.tags;
    tags.push(...nodes);
    if (!pageInfo.hasNextPage) return succeed(tags);
    after = pageInfo.endCursor ?? null;
  }
}

function readPage(websiteId: string, after: string | null) {
  return runQuery(tagsQuery, { filter: { websiteId }, after });
}
