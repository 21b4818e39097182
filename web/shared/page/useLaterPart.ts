import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import type { LaterPart } from './later-part.ts';
import { loadAgain } from './load-again.ts';

export interface LaterState<Module> {
  /** Undefined while it is on its way, and after a failure. */
  readonly module: Module | undefined;
  readonly hasFailed: boolean;
  readonly retry: () => Promise<void>;
}

/** Loads a part of the page, if it is not there yet. */
export function useLaterPart<Module>(part: LaterPart<Module>): LaterState<Module> {
  const module = useSyncExternalStore(part.subscribe, () => part.loaded);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    setFailed(false);
    part.load().catch(() => setFailed(true));
  }, [part]);
  const retry = useCallback(async () => {
    setFailed(false);
    setFailed(!(await loadAgain(part)));
  }, [part]);
  return { module, hasFailed, retry };
}
