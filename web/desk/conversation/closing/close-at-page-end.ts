import { createOwnerHeaders } from '../../../shared/api/session-owner.ts';
import { CLOSE, createCloseVariables } from '../../connection/mutations.ts';
import type { HeldClose } from './held-closes.ts';

/** One request that the browser finishes after the page is gone. Sent twice it changes nothing. */
export function closeAtPageEnd({ conversationId, closingLine }: HeldClose): void {
  const body = { query: CLOSE, variables: createCloseVariables(conversationId, closingLine) };
  fetch('/graphql', {
    method: 'POST',
    keepalive: true,
    headers: { ...createOwnerHeaders(), accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined);
}
