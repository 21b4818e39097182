import { createContext, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { getSessionOwner } from '../../../shared/api/session-owner.ts';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskStore } from '../../DeskContext.tsx';
import { useToast } from '../../frame/ToastContext.tsx';
import { writeDraft } from '../../state/drafts.ts';
import { closeAtPageEnd } from '../closing/close-at-page-end.ts';
import { HeldCloses } from '../closing/held-closes.ts';
import { closingTexts } from '../closing/texts.ts';
import { useClosingToast } from '../closing/useClosingToast.ts';
import { useHeldCloseTimes } from '../closing/useHeldCloseTimes.ts';
import { type Upload, Uploads } from '../composer/uploads.ts';
import { ComposerFocus } from './composer-focus.ts';

interface Memory {
  readonly composerFocus: ComposerFocus;
  readonly held: HeldCloses;
  readonly uploads: Uploads;
  /** What was read of visitors, by the keys of the readings. */
  readonly readings: Map<string, unknown>;
}

const MemoryContext = createContext<Memory | undefined>(undefined);

/** What goes on in conversations that are not in sight: closings that can be undone, and uploads. Once in the desk. */
export function ConversationMemory({ children }: { readonly children: ReactNode }) {
  const t = useTexts(closingTexts);
  const desk = useDeskStore();
  const show = useToast();
  const onRefused = useRef<(failure: string) => void>(undefined);
  onRefused.current = (failure) => {
    const reason = <span lang="en">{failure}</span>;
    show({
      text: (
        <span>
          {t('notClosed')} {reason}
        </span>
      ),
    });
  };
  const [memory] = useState<Memory>(() => ({
    composerFocus: new ComposerFocus(),
    held: new HeldCloses({
      async close({ conversationId, closingLine }) {
        const answer = await desk.actions.close(conversationId, closingLine);
        if (answer.ok) writeDraft(`${conversationId}:closing`, '');
        return answer;
      },
      closeAtPageEnd,
      owner: getSessionOwner(),
      storage: sessionStorage,
      onRefused: (_held, failure) => onRefused.current?.(failure),
    }),
    uploads: new Uploads(desk.actions.upload),
    readings: new Map(),
  }));
  const { held } = memory;
  const isLive = useDesk((state) => state.connection.kind === 'live');
  useEffect(() => {
    const forgetEnded = () => {
      const { conversations, viewer } = desk.getState();
      held.forgetUnless((id) => {
        const conversation = conversations.get(id);
        return conversation?.state === 'ACTIVE' && conversation.operator?.id === viewer.id;
      });
    };
    forgetEnded();
    return desk.subscribe(forgetEnded);
  }, [desk, held]);
  useHeldCloseTimes(held, isLive);
  useClosingToast(held);
  return <MemoryContext value={memory}>{children}</MemoryContext>;
}

function useMemory(): Memory {
  const memory = use(MemoryContext);
  if (memory === undefined) throw new Error('The view is outside of a ConversationMemory.');
  return memory;
}

export function useHeldCloses(): HeldCloses {
  return useMemory().held;
}

/** For what is shown while the service cannot be reached. */
export function useReadings(): Map<string, unknown> {
  return useMemory().readings;
}

/** The conversations that were closed here and that the service does not know as closed yet. */
export function useClosingIds(): ReadonlySet<string> {
  const { held } = useMemory();
  return useSyncExternalStore(held.subscribe, held.getIds);
}

export function useComposerFocusRequests(): ComposerFocus {
  return useMemory().composerFocus;
}

export function useUploads(conversationId: string): readonly [uploads: readonly Upload[], store: Uploads] {
  const { uploads } = useMemory();
  return [useSyncExternalStore(uploads.subscribe, () => uploads.get(conversationId)), uploads];
}
