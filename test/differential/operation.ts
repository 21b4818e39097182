/** Selects a conversation by state. The operation uses its id and runs as its operator or visitor. */
export interface ConversationChoice {
  readonly state: 'queued' | 'offered' | 'active' | 'closed';
  readonly pick: number;
}

/** Replaced in variables by the id of the selected conversation. */
export const CONVERSATION_PLACEHOLDER = '@conversation';

/** An operation to run on both databases: plain data, so that it can be printed and repeated. */
export type Operation =
  | {
      readonly kind: 'rest';
      readonly key: 'write' | 'read';
      readonly method: string;
      readonly path: string;
      readonly body?: string;
      readonly contentType?: string;
      readonly idempotencyKey?: string;
    }
  | {
      readonly kind: 'graphql';
      /** The id of the calling operator; 1 is the admin. */
      readonly as: number;
      readonly query: string;
      readonly variables: Readonly<Record<string, unknown>>;
      readonly target?: ConversationChoice;
      readonly idempotencyKey?: string;
    }
  | {
      readonly kind: 'visitor';
      /** The index of the visitor session. */
      readonly as: number;
      readonly query: string;
      readonly variables: Readonly<Record<string, unknown>>;
      readonly target?: ConversationChoice;
    }
  | { readonly kind: 'session'; readonly body: Readonly<Record<string, unknown>> }
  /** Advances the clock and runs the due timers. */
  | { readonly kind: 'advanceClock'; readonly milliseconds: number }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'housekeeping' }
  /** Sends due deliveries to receivers, which respond with these statuses. */
  | { readonly kind: 'webhooks'; readonly statuses: readonly number[] };

/** Formats an operation in one line for the trace. */
export function formatOperation(operation: Operation): string {
  const { kind, ...rest } = operation;
  if (kind === 'graphql' || kind === 'visitor') {
    const { as, query, variables, target } = rest as Extract<Operation, { kind: 'graphql' }>;
    return `${kind} as ${target ? `the participant of ${target.state} conversation ${target.pick}` : as}: ${query.replaceAll(/\s+/g, ' ')} ${JSON.stringify(variables)}`;
  }
  return `${kind} ${JSON.stringify(rest)}`;
}
