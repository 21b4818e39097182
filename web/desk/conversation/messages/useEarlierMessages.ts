import { useRef, useState } from 'react';
import { useDeskActions } from '../../DeskContext.tsx';

interface EarlierMessages {
  readonly status: 'idle' | 'loading' | 'failed';
  /** Messages were added at the start since the last rendering: the scroll position counts from the end. */
  readonly isPrepending: boolean;
  /** Does nothing while it loads, after a failure, and if there are none. */
  load(): void;
  retry(): void;
}

export function useEarlierMessages(conversationId: string, firstSequence: number): EarlierMessages {
  const { loadEarlier } = useDeskActions();
  const [status, setStatus] = useState<EarlierMessages['status']>('idle');
  const isBusy = useRef(false);
  const [renderedFirst, setRenderedFirst] = useState(firstSequence);
  const [isPrepending, setIsPrepending] = useState(false);
  if (renderedFirst !== firstSequence) {
    setRenderedFirst(firstSequence);
    setIsPrepending(firstSequence < renderedFirst);
  }
  const start = async () => {
    isBusy.current = true;
    setStatus('loading');
    const answer = await loadEarlier(conversationId);
    isBusy.current = false;
    setStatus(answer.ok ? 'idle' : 'failed');
    // What comes next is added at the end.
    setIsPrepending(false);
  };
  return {
    status,
    isPrepending,
    load() {
      if (!isBusy.current && status !== 'failed' && firstSequence > 1) start();
    },
    retry: start,
  };
}
