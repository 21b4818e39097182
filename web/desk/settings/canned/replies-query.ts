import { runMutation } from '../../../shared/api/mutation.ts';
import { graphql, runQuery } from '../../../shared/api/query.ts';
import { type Answer, succeed } from '../../../shared/api/request.ts';
import type { OwnedReply, ReplyContent, ReplyOwner } from './reply.ts';

const repliesQuery = graphql(`
  query OwnedReplies {
    cannedReplies { id scope shortcut text language canEdit group { id name } }
    viewer { languageList }
  }
`);

const groupsQuery = graphql(`
  query GroupsOfReplies($after: String) {
    groups(first: 100, after: $after) {
      nodes { id name }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const CREATE = graphql(`
  mutation CreateReply($input: CannedReplyCreateInput!) {
    cannedReplyCreate(input: $input) { cannedReply { id } userErrors { field code reason message } }
  }
`);

const UPDATE = graphql(`
  mutation UpdateReply($input: CannedReplyUpdateInput!) {
    cannedReplyUpdate(input: $input) { userErrors { field code reason message } }
  }
`);

const DELETE = graphql(`
  mutation DeleteReply($input: CannedReplyDeleteInput!) {
    cannedReplyDelete(input: $input) { userErrors { field code reason message } }
  }
`);

const IMPORT = graphql(`
  mutation ImportReplies($input: CannedRepliesImportInput!) {
    cannedRepliesImport(input: $input) { created updated userErrors { field code reason message } }
  }
`);

export interface OwnedReplies {
  readonly replies: readonly OwnedReply[];
  /** Of the operator. */
  readonly spoken: readonly string[];
}

export async function readReplies(): Promise<Answer<OwnedReplies>> {
  const answer = await runQuery(repliesQuery);
  if (!answer.ok) return answer;
  const { cannedReplies, viewer } = answer.value;
  return succeed({ replies: cannedReplies, spoken: viewer.languageList ?? [] });
}

export interface Group {
  readonly id: string;
  readonly name: string;
}

export async function readGroups(): Promise<Answer<readonly Group[]>> {
  const groups: Group[] = [];
  let after: string | null = null;
  for (;;) {
    const answer: Awaited<ReturnType<typeof readGroupPage>> = await readGroupPage(after);
    if (!answer.ok) return answer;
    const { nodes, pageInfo } = answer.value.groups;
    groups.push(...nodes);
    if (!pageInfo.hasNextPage) return succeed(groups);
    after = pageInfo.endCursor ?? null;
  }
}

const readGroupPage = (after: string | null) => runQuery(groupsQuery, { after });

export const createReply = ({ scope, groupId }: ReplyOwner, { shortcut, text, language }: ReplyContent) =>
  runMutation(CREATE, { input: { scope, ...(groupId !== null && { groupId }), shortcut, text, language } });

export const updateReply = (id: string, { scope, groupId }: ReplyOwner, { shortcut, text, language }: ReplyContent) =>
  runMutation(UPDATE, { input: { id, scope, ...(groupId !== null && { groupId }), shortcut, text, language } });

export const deleteReply = (id: string) => runMutation(DELETE, { input: { id } });

export const importReplies = ({ scope, groupId }: ReplyOwner, replies: readonly ReplyContent[]) =>
  runMutation(IMPORT, {
    input: {
      scope,
      ...(groupId !== null && { groupId }),
      replies: replies.map(({ shortcut, text, language }) => ({ shortcut, text, language })),
    },
  });
