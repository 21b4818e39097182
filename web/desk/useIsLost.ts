import { useEffect, useRef } from 'react';
import type { Failure } from '../shared/api/request.ts';
import { useDesk } from './DeskContext.tsx';

/** Whether it failed because there was no connection, which the desk says at its top. Tries again when it is back. */
export function useIsLost(failure: Failure | undefined, retry: () => void): boolean {
  const isLive = useDesk((state) => state.connection.kind === 'live');
  const lost = useRef<Failure>(undefined);
  if (failure?.kind === 'unreachable' && !isLive) lost.current = failure;
  const isLost = failure !== undefined && lost.current === failure;
  useEffect(() => {
    if (isLive && isLost) retry();
  }, [isLive, isLost, retry]);
  return isLost;
}
