import { useCallback, useEffect, useState } from 'react';
import type { Failure } from '../api/request.ts';
import { goToLogIn } from '../page/SessionPage.tsx';
import { type Account, readAccount } from './account-query.ts';

interface LoadedAccount {
  readonly account: Account | undefined;
  /** Why the last attempt to load failed. What was loaded before stays. */
  readonly failure: Failure | undefined;
  readonly reload: () => Promise<void>;
}

/** Loads the account, and again whenever the page comes to the front: sessions begin and end elsewhere. */
export function useAccount(): LoadedAccount {
  const [account, setAccount] = useState<Account>();
  const [failure, setFailure] = useState<Failure>();
  const reload = useCallback(async () => {
    const answer = await readAccount();
    if (answer.ok) setAccount(answer.value);
    setFailure(answer.ok ? undefined : answer.failure);
  }, []);
  useEffect(() => {
    reload();
    const reloadIfVisible = () => document.visibilityState === 'visible' && reload();
    document.addEventListener('visibilitychange', reloadIfVisible);
    return () => document.removeEventListener('visibilitychange', reloadIfVisible);
  }, [reload]);
  const hasNothingToLose = account === undefined;
  useEffect(() => {
    if (failure?.kind === 'loggedOut' && hasNothingToLose) goToLogIn('ended');
  }, [failure, hasNothingToLose]);
  return { account, failure, reload };
}
