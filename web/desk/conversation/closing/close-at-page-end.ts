import { graphql } from '../../../shared/api/query.ts';
import type { HeldClose } from './held-closes.ts';

const closeWithLine = graphql(`
  mutation DeskCloseWithLine($message: MessageSendInput!, $close: ConversationCloseInput!) {
    messageSend(input: $message) { userErrors { code } }
    conversationClose(input: $close) { userErrors { code } }
  }
`);

const closeSilently = graphql(`
  mutation DeskCloseSilently($close: ConversationCloseInput!) {
    conversationClose(input: $close) { userErrors { code } }
  }
`);

/** One request that the browser finishes after the page is gone. */
export function closeAtPageEnd({ conversationId, closingLine, until }: HeldClose): void {
  const close = { id: conversationId };
  // The same identifier each time: if it is sent twice, the line is stored once.
  const message = { conversationId, clientId: `close-${conversationId}-${until}`, text: closingLine };
  const body =
    closingLine === ''
      ? { query: closeSilently, variables: { close } }
      : { query: closeWithLine, variables: { message, close } };
  fetch('/graphql', {
    method: 'POST',
    keepalive: true,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined);
}
