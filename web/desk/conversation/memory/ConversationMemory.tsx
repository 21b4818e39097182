import { createContext, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { succeed } from '../../../shared/api/request.ts';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import { writeDraft } from '../../state/drafts.ts';
import type { DeskState } from '../../state/model.ts';
import { ClosingToast } from '../closing/ClosingToast.tsx';
import { closeAtPageEnd } from '../closing/close-at-page-end.ts';
import { HeldCloses } from '../closing/held-closes.ts';
import { useHeldCloseTimes } from '../closing/useHeldCloseTimes.ts';
import { type Upload, Uploads } from '../composer/uploads.ts';

interface Memory {
  readonly held: HeldCloses;
  readonly uploads: Uploads;
}

const MemoryContext = createContext<Memory | undefined>(undefined);

/** What goes on in conversations that are not in sight: closings that can be undone, and uploads. Once in the desk. */
export function ConversationMemory({ children }: { readonly children: ReactNode }) {
  const { close, upload } = useDeskActions();
  const [refused, setRefused] = useState<string>();
  const conversations = useRef<DeskState['conversations']>(new Map());
  conversations.current = useDesk((state) => state.conversations);
  const [memory] = useState<Memory>(() => ({
    held: new HeldCloses({
      async close({ conversationId, closingLine }) {
        const isClosed = conversations.current.get(conversationId)?.state === 'CLOSED';
        const answer = isClosed ? succeed(undefined) : await close(conversationId, closingLine);
        if (answer.ok) writeDraft(`${conversationId}:closing`, '');
        return answer;
      },
      closeAtPageEnd,
      storage: sessionStorage,
      onRefused: (_held, failure) => setRefused(failure),
    }),
    uploads: new Uploads(upload),
  }));
  const isLive = useDesk((state) => state.connection.kind === 'live');
  useHeldCloseTimes(memory.held, isLive);
  useEffect(() => {
    if (refused === undefined) return;
    const timer = setTimeout(() => setRefused(undefined), 6000);
    return () => clearTimeout(timer);
  }, [refused]);
  return (
    <MemoryContext value={memory}>
      {children}
      <ClosingToast held={memory.held} refused={refused} />
    </MemoryContext>
  );
}

function useMemory(): Memory {
  const memory = use(MemoryContext);
  if (memory === undefined) throw new Error('The view is outside of a ConversationMemory.');
  return memory;
}

export function useHeldCloses(): HeldCloses {
  return useMemory().held;
}

/** The conversation was closed here and the service does not know it yet. */
export function useIsClosing(conversationId: string): boolean {
  const { held } = useMemory();
  return useSyncExternalStore(held.subscribe, () =>
    held.getAll().some((each) => each.conversationId === conversationId),
  );
}

export function useUploads(conversationId: string): readonly [uploads: readonly Upload[], store: Uploads] {
  const { uploads } = useMemory();
  return [useSyncExternalStore(uploads.subscribe, () => uploads.get(conversationId)), uploads];
}
