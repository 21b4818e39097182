import { useCallback, useEffect, useState } from 'react';
import { runQuery } from '../../../shared/api/query.ts';
import type { Failure } from '../../../shared/api/request.ts';
import { useIsLost } from '../../useIsLost.ts';
import { type TransferTargets, targetsQuery } from './targets.ts';

const ASK_AFTER_MS = 200;
const NONE: TransferTargets = { operators: [], skills: [], groups: [] };

interface Targets {
  readonly targets: TransferTargets;
  readonly isLoaded: boolean;
  readonly failure: Failure | undefined;
  /** There is no connection: they come when it is back. */
  readonly isLost: boolean;
}

/** Who is free now. Asked again for what is typed: the service lists only the first ones of many. */
export function useTargets(conversationId: string, text: string): Targets {
  const [targets, setTargets] = useState<TransferTargets>();
  const [failure, setFailure] = useState<Failure>();
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((last) => last + 1), []);
  const isLost = useIsLost(failure, retry);
  // Also for each attempt.
  useEffect(() => {
    let isGone = false;
    const ask = async () => {
      const answer = await runQuery(targetsQuery, { conversationId, text: text.trim() || null });
      if (isGone) return;
      setFailure(answer.ok ? undefined : answer.failure);
      if (answer.ok) setTargets(answer.value.transferTargets ?? NONE);
    };
    const timer = setTimeout(ask, text === '' ? 0 : ASK_AFTER_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [conversationId, text, attempt]);
  return { targets: targets ?? NONE, isLoaded: targets !== undefined, failure: isLost ? undefined : failure, isLost };
}
