import { useCallback, useState } from 'react';
import type { Answer, Failure } from '../api/request.ts';
import { useWait, type Wait } from './useWait.ts';

interface Attempt<Input> {
  /** Does nothing while an attempt runs, and while one has to wait. Returns why it failed. */
  readonly start: (input: Input) => Promise<Failure | undefined>;
  readonly isPending: boolean;
  readonly failure: Failure | undefined;
  /** The person has changed something: what was said about the last attempt is no longer true. */
  readonly forgetFailure: () => void;
  readonly wait: Wait;
}

/** A form that is sent, can fail, and has to wait after too many attempts. */
export function useAttempt<Input, Result>(
  send: (input: Input) => Promise<Answer<Result>>,
  onSuccess: (result: Result) => void,
): Attempt<Input> {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const wait = useWait(failure);
  const start = async (input: Input) => {
    if (isPending || wait.secondsLeft > 0) return undefined;
    setPending(true);
    const answer = await send(input);
    setPending(false);
    setFailure(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return answer.failure;
    onSuccess(answer.value);
    return undefined;
  };
  // The wait goes on, whatever one types.
  const forgetFailure = useCallback(() => setFailure((last) => (last?.kind === 'refused' ? undefined : last)), []);
  return { start, isPending, failure, forgetFailure, wait };
}
