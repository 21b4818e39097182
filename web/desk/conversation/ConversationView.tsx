import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure } from '../../shared/api/request.ts';
import { Button } from '../../shared/components/Button.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { useWait } from '../../shared/frame/useWait.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import { OpenConversation, type OpenConversationProps } from './OpenConversation.tsx';
import { conversationTexts } from './texts.ts';

/** A conversation with everything that an operator does in it; inside of a `ConversationMemory`. */
export function ConversationView(props: OpenConversationProps) {
  const { conversationId } = props;
  const isThere = useDesk((state) => state.conversations.has(conversationId));
  const lastShown = useRef<string>(undefined);
  if (isThere) lastShown.current = conversationId;
  return (
    <div className="conversation">
      {/* Another conversation has its own draft, scroll position and dialogs. */}
      {isThere ? (
        <OpenConversation key={conversationId} {...props} />
      ) : (
        <Opening key={conversationId} {...props} wasShown={lastShown.current === conversationId} />
      )}
    </div>
  );
}

/** For conversations that the operator may not read, or that do not exist. */
const NOT_READABLE = ['FORBIDDEN', 'id.unknown_id'];

interface OpeningProps extends OpenConversationProps {
  /** It was here a moment ago: it was transferred or taken away. */
  readonly wasShown: boolean;
}

/** A conversation that the desk does not have (any more), such as an earlier one of the visitor. */
function Opening({ conversationId, onBack, wasShown }: OpeningProps) {
  const t = useTexts(conversationTexts);
  const { open } = useDeskActions();
  const [failure, setFailure] = useState<Failure>();
  const wait = useWait(failure);
  const load = useCallback(async () => {
    setFailure(undefined);
    const answer = await open(conversationId);
    if (!answer.ok) setFailure(answer.failure);
  }, [open, conversationId]);
  useEffect(() => {
    load();
  }, [load]);
  const place = useRef<HTMLDivElement>(null);
  const isLost = wasShown && failure?.kind === 'refused' && NOT_READABLE.includes(failure.code);
  // What had the focus is gone.
  useEffect(() => {
    if (isLost && document.activeElement === document.body) place.current?.focus();
  }, [isLost]);
  return (
    <div className="opening" aria-busy={failure === undefined} ref={place} tabIndex={-1}>
      {isLost && <p role="status">{t('lost')}</p>}
      {failure === undefined ? (
        <>
          <span className="skeleton" />
          <span className="skeleton" />
          <span className="skeleton" />
        </>
      ) : (
        <>
          {!isLost && <FailureBanner failure={failure} wait={wait} />}
          {!isLost && <Button onPress={load}>{t('tryAgain')}</Button>}
          {onBack && (
            <Button kind="quiet" onPress={onBack}>
              {t('back')}
            </Button>
          )}
        </>
      )}
    </div>
  );
}
