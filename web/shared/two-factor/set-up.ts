import { runMutation } from '../api/mutation.ts';
import { type Answer, succeed } from '../api/request.ts';
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
  const answer = await runMutation(START, { input: proof });
  return answer.ok ? succeed({ secret: answer.value.secret ?? '', uri: answer.value.uri ?? '' }) : answer;
}

/** Returns the recovery codes, which are shown only now. */
export async function confirmSetUp(code: string): Promise<Answer<readonly string[]>> {
  const answer = await runMutation(CONFIRM, { input: { code } });
  return answer.ok ? succeed(answer.value.recoveryCodes ?? []) : answer;
}
