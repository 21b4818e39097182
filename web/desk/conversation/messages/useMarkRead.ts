import { useEffect } from 'react';
import { useDeskActions } from '../../DeskContext.tsx';
import type { DeskConversation } from '../../state/model.ts';
import { usePageVisible } from './usePageVisible.ts';

interface Reading {
  readonly conversation: DeskConversation;
  readonly isAtEnd: boolean;
  readonly isReadOnly: boolean;
}

/** The operator has seen a message when it is in sight on a page that is in sight. */
export function useMarkRead({ conversation, isAtEnd, isReadOnly }: Reading): void {
  const { markRead } = useDeskActions();
  const isVisible = usePageVisible();
  const { id, messages, readByOperatorUpTo } = conversation;
  const last = messages.at(-1)?.sequence ?? 0;
  const mark = !isReadOnly && isVisible && isAtEnd && last > readByOperatorUpTo;
  useEffect(() => {
    if (mark) markRead(id, last);
  }, [mark, markRead, id, last]);
}
