import type { TadaDocumentNode } from 'gql.tada';
import { runQuery } from './query.ts';
import { type Answer, fail, succeed } from './request.ts';

interface UserError {
  readonly field: readonly string[] | null;
  readonly code: string;
  readonly reason: string | null;
  readonly message: string;
}

interface Payload {
  readonly userErrors: readonly UserError[];
}

/**
 * Runs a document with one mutation, and returns its payload. What the service rejects is a failure like any other: its
 * code is the input field and the reason, such as `newPassword.too_short`, `code.invalid` or `state`.
 */
export async function runMutation<Result extends Readonly<Record<string, Payload>>, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<Answer<Result[keyof Result]>> {
  const run = runQuery as (
    document: TadaDocumentNode<Result, Variables>,
    variables: Variables,
  ) => Promise<Answer<Result>>;
  const answer = await run(document, variables);
  if (!answer.ok) return answer;
  const [payload] = Object.values(answer.value) as [Result[keyof Result]];
  const [error] = payload.userErrors;
  if (error === undefined) return succeed(payload);
  const field = error.field?.at(-1);
  const reason = error.reason ?? error.code.toLowerCase();
  return fail({ kind: 'refused', code: field ? `${field}.${reason}` : reason, description: error.message });
}
