import { runMutation } from '../../shared/api/mutation.ts';
import { graphql, runQuery } from '../../shared/api/query.ts';
import { type Answer, succeed } from '../../shared/api/request.ts';

const PAGE_LENGTH = 20;

const messagesLeftQuery = graphql(`
  query MessagesLeft($filter: MessageLeftFilter!, $first: Int!, $after: String) {
    messagesLeft(filter: $filter, first: $first, after: $after) {
      nodes {
        id name email text page createdAt doneAt
        doneBy { id pseudo } operator { id pseudo } website { label }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const RESOLVE = graphql(`
  mutation ResolveMessageLeft($input: MessageLeftResolveInput!) {
    messageLeftResolve(input: $input) { userErrors { field code reason message } }
  }
`);

const REOPEN = graphql(`
  mutation ReopenMessageLeft($input: MessageLeftReopenInput!) {
    messageLeftReopen(input: $input) { userErrors { field code reason message } }
  }
`);

const ASSIGN = graphql(`
  mutation AssignMessageLeft($input: MessageLeftAssignInput!) {
    messageLeftAssign(input: $input) { userErrors { field code reason message } }
  }
`);

interface Person {
  readonly id: string;
  readonly pseudo: string;
}

export interface MessageLeft {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly text: string;
  readonly page: string;
  readonly createdAt: string;
  readonly doneAt: string | null;
  readonly doneBy: Person | null;
  readonly operator: Person | null;
  readonly website: { readonly label: string } | null;
}

export interface MessagesLeftPages {
  readonly messages: readonly MessageLeft[];
  readonly hasOlder: boolean;
}

export interface MessagesLeftFilter {
  readonly done: boolean;
  readonly operatorId?: string;
}

/** The newest pages. All of them are read at once again, because messages come and go in between. */
export async function readMessagesLeft(filter: MessagesLeftFilter, pages: number): Promise<Answer<MessagesLeftPages>> {
  const messages: MessageLeft[] = [];
  let after: string | null = null;
  for (let page = 1; ; page += 1) {
    const answer: Awaited<ReturnType<typeof readPage>> = await readPage(filter, after);
    if (!answer.ok) return answer;
    const { nodes = [], pageInfo } = answer.value.messagesLeft ?? {};
    messages.push(...nodes);
    const hasOlder = pageInfo?.hasNextPage ?? false;
    if (page === pages || !hasOlder) return succeed({ messages, hasOlder });
    after = pageInfo?.endCursor ?? null;
  }
}

function readPage(filter: MessagesLeftFilter, after: string | null) {
  return runQuery(messagesLeftQuery, { filter: { ...filter }, first: PAGE_LENGTH, after });
}

export const resolveMessageLeft = (id: string) => runMutation(RESOLVE, { input: { id } });

export const reopenMessageLeft = (id: string) => runMutation(REOPEN, { input: { id } });

/** Without an operator it is free again. */
export const assignMessageLeft = (id: string, operatorId: string | null) =>
  runMutation(ASSIGN, { input: { id, operatorId } });
