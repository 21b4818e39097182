import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer, Failure } from '../../shared/api/request.ts';
import { useReading } from '../../shared/api/useReading.ts';
import { useDesk } from '../DeskContext.tsx';
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

/** The list, read again whenever one of the messages has changed. */
export function useMessagesLeft(filter: MessagesLeftFilter): LoadedMessagesLeft {
  const lastChange = useDesk((state) => state.messagesLeftChange);
  const key = JSON.stringify(filter);
  const [pages, setPages] = useState({ key, count: 1 });
  const count = pages.key === key ? pages.count : 1;
  const { value: found, failure, reload } = useReading(key, () => readMessagesLeft(filter, count));
  const [changeFailure, setChangeFailure] = useState<Failure>();
  const reason = `${count} ${lastChange}`;
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
      await reload();
      return answer.ok;
    },
    [reload],
  );
  return {
    ...{ found, reload, change },
    failure: failure ?? changeFailure,
    loadOlder: () => setPages({ key, count: count + 1 }),
  };
}
