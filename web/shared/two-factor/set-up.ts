import { runQuery } from '../api/query.ts';
import { type Answer, fail, succeed } from '../api/request.ts';
import { CONFIRM, START } from './queries.ts';

export interface AppSecret {
  readonly secret: string;
  /** For the QR code, and for an app on the same device. */
  readonly uri: string;
}

/** What proves that the operator may do it. Empty for one who must set up two-factor before anything else. */
export interface SetUpProof {
  readonly currentPassword?: string;
  /** Of the app that is used until now. */
  readonly code?: string;
}

export async function startSetUp(proof: SetUpProof): Promise<Answer<AppSecret>> {
  const answer = await runQuery(START, { input: proof });
  if (!answer.ok) return answer;
  const { secret, uri, userErrors } = answer.value.twoFactorStart;
  return secret === null || uri === null ? failWith(userErrors) : succeed({ secret, uri });
}

/** Returns the recovery codes, which are shown only now. */
export async function confirmSetUp(code: string): Promise<Answer<readonly string[]>> {
  const answer = await runQuery(CONFIRM, { input: { code } });
  if (!answer.ok) return answer;
  const { recoveryCodes, userErrors } = answer.value.twoFactorConfirm;
  return recoveryCodes === null ? failWith(userErrors) : succeed(recoveryCodes);
}

function failWith([error]: readonly { readonly code: string; readonly message: string }[]) {
  return fail({ kind: 'refused', code: error?.code ?? 'INTERNAL', description: error?.message ?? '' });
}
