import { Failure, toFailure } from './failure.ts';
import { request } from './request.ts';
import type { Session } from './session.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** Sends an operation. A token that is no longer accepted is replaced once. */
export async function ask<Data>(
  service: string,
  session: Session,
  query: string,
  variables: Variables = {},
  isRepeated = false,
): Promise<Data> {
  const token = await session.getToken();
  const answer = await request(`${service}visitor/graphql`, { token, body: JSON.stringify({ query, variables }) });
  if (answer.status === 401) session.drop(token);
  if (answer.status === 401 && !isRepeated) return ask(service, session, query, variables, true);
  const failure = toFailure(answer);
  if (failure) throw failure;
  for (const payload of Object.values(answer.body.data) as ({ userErrors?: UserError[] } | null)[]) {
    const error = payload?.userErrors?.[0];
    if (error) throw new Failure('refused', error.reason ?? error.code);
  }
  return answer.body.data;
}

interface UserError {
  readonly code: string;
  readonly reason: string | null;
}
