import * as documents from './documents.ts';
import type { ServiceClient } from './service-client.ts';

interface Decision {
  readonly ranked: readonly { readonly operator: { readonly id: string } | null }[];
}

/**
 * Whether routing had a real person to choose from when it made its last decision about the conversation. Priorities
 * alone do not decide: the operator who served the visitor last comes before them. Takes the token of a manager.
 */
export async function isRealPersonFree(
  client: ServiceClient,
  token: string,
  { conversationId, playedIds }: { readonly conversationId: string; readonly playedIds: ReadonlySet<string> },
): Promise<boolean> {
  const { routingDecisions } = await client.run<{ routingDecisions: readonly Decision[] | null }>(
    token,
    documents.ROUTING_DECISIONS,
    { id: conversationId },
  );
  const ranked = routingDecisions?.at(-1)?.ranked ?? [];
  return ranked.some(({ operator }) => operator && !playedIds.has(operator.id));
}
