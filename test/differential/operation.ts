/** One of the conversations in a state: it is named in the variables, and whoever has it asks. */
export interface About {
  readonly state: 'queued' | 'offered' | 'active' | 'closed';
  readonly pick: number;
}

/** Stands in variables for the conversation that the operation is about. */
export const CONVERSATION = '@conversation';

/** One thing that is done on both databases: plain data, so that it can be printed and done again. */
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
      /** The number of the operator who asks; 1 is the admin. */
      readonly as: number;
      readonly query: string;
      readonly variables: Readonly<Record<string, unknown>>;
      readonly about?: About;
      readonly idempotencyKey?: string;
    }
  | {
      readonly kind: 'visitor';
      /** Which of the sessions so far, counted from 0. */
      readonly as: number;
      readonly query: string;
      readonly variables: Readonly<Record<string, unknown>>;
      readonly about?: About;
    }
  | { readonly kind: 'session'; readonly body: Readonly<Record<string, unknown>> }
  /** The clock goes on, and what is over by then is ended. */
  | { readonly kind: 'pass'; readonly milliseconds: number }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'housekeeping' }
  /** What is due is sent to receivers, which answer with these one after the other. */
  | { readonly kind: 'webhooks'; readonly statuses: readonly number[] };

/** In one line, for the trace. */
export function inOneLine(operation: Operation): string {
  const { kind, ...rest } = operation;
  if (kind === 'graphql' || kind === 'visitor') {
    const { as, query, variables, about } = rest as Extract<Operation, { kind: 'graphql' }>;
    return `${kind} as ${about ? `whoever has the ${about.pick}th ${about.state}` : as}: ${query.replaceAll(/\s+/g, ' ')} ${JSON.stringify(variables)}`;
  }
  return `${kind} ${JSON.stringify(rest)}`;
}
