import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer, Failure } from '../../shared/api/request.ts';
import { useReading } from '../../shared/api/useReading.ts';
import { useReloadWhileVisible } from '../../shared/api/useReloadWhileVisible.ts';
import { useDeskActions } from '../DeskContext.tsx';
import { type MessagesLeftFilter, type MessagesLeftPages, readMessagesLeft } from './messages-left.ts';

interface LoadedMessagesLeft {
  readonly found: MessagesLeftPages | undefined;
  /** Why the last attempt to read or to change failed. */
  readonly failure: Failure | undefined;
  readonly reload: () => Promise<void>;
  readonly loadOlder: () => void;
  /** Makes a change and reads again. Returns whether it was made. */
  readonly change: (run: () => Promise<Answer<unknown>>) => Promise<boolean>;
}

/** The list. No event tells an operator of them, so it is read again every minute. `openCount` is a hint to do so now. */
export function useMessagesLeft(filter: MessagesLeftFilter, openCount: number): LoadedMessagesLeft {
  const { countMessagesLeft } = useDeskActions();
  const key = JSON.stringify(filter);
  const [pages, setPages] = useState({ key, count: 1 });
  const count = pages.key === key ? pages.count : 1;
  const { value: found, failure, reload } = useReading(key, () => readMessagesLeft(filter, count));
  const [changeFailure, setChangeFailure] = useState<Failure>();
  useReloadWhileVisible(reload);
  const reason = `${count} ${openCount}`;
  const lastReason = useRef(reason);
  useEffect(() => {
    if (lastReason.current === reason) return;
    lastReason.current = reason;
    reload();
  }, [reload, reason]);
  const change = useCallback(
    async (run: () => Promise<Answer<unknown>>) => {
      const answer = await run();
      setChangeFailure(answer.ok ? undefined : answer.failure);
      await Promise.all([reload(), countMessagesLeft()]);
      return answer.ok;
    },
    [reload, countMessagesLeft],
  );
  return {
    ...{ found, reload, change },
    failure: failure ?? changeFailure,
    loadOlder: () => setPages({ key, count: count + 1 }),
  };
}
