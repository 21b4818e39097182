import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { useVisitorName } from '../frame/useVisitorName.ts';
import { LaterDialog } from '../later/LaterDialog.tsx';
import type { DeskConversation } from '../state/model.ts';
import { useFacts } from '../useFacts.ts';
import { Composer, type ComposerHandle, type ComposerMode } from './composer/Composer.tsx';
import { useComposerMode } from './composer/useComposerMode.ts';
import { DropArea } from './drop/DropArea.tsx';
import { Head } from './head/Head.tsx';
import { OfferStrip } from './head/OfferStrip.tsx';
import { ReadOnlyStrip } from './head/ReadOnlyStrip.tsx';
import { useClosingIds } from './memory/ConversationMemory.tsx';
import { MessageList } from './messages/MessageList.tsx';
import { conversationTexts } from './texts.ts';
import { useComposerFocus } from './useComposerFocus.ts';
import { useSingleKey } from './useSingleKey.ts';

export interface OpenConversationProps {
  readonly conversationId: string;
  /** Of a page with one column. */
  readonly onBack?: () => void;
  readonly onShowVisitor?: () => void;
  /** The operator has given the conversation away. */
  readonly onTransferred?: () => void;
}

export function OpenConversation(props: OpenConversationProps) {
  const { conversationId, onBack, onShowVisitor, onTransferred } = props;
  const t = useTexts(conversationTexts);
  const nameVisitor = useVisitorName();
  const conversation = useDesk((state) => state.conversations.get(conversationId)) as DeskConversation;
  const viewer = useDesk((state) => state.viewer);
  const isClosing = useClosingIds().has(conversationId);
  const [mode, setMode] = useComposerMode(conversationId);
  const [dialog, setDialog] = useState<'transfer' | 'close'>();
  const composer = useRef<ComposerHandle>(null);
  const facts = useFacts(conversation);
  const { state, operator } = facts;
  const isOwn = operator?.id === viewer.id && !isClosing;
  const canWrite = isOwn && state === 'ACTIVE';
  useComposerFocus({ conversationId, isClosing, canWrite, composer });
  const couldWrite = useRef(canWrite);
  useEffect(() => {
    couldWrite.current = canWrite;
  }, [canWrite]);

  const writeIn = useCallback(
    (next: ComposerMode) => {
      setMode(next);
      composer.current?.focus();
    },
    [setMode],
  );
  useSingleKey('n', canWrite && dialog === undefined && viewer.preferences.singleKeyShortcuts, () => writeIn('note'));
  const canDrop = canWrite && mode === 'message' && dialog === undefined;
  const dropHint = canDrop ? t('dropFiles', { name: nameVisitor(conversation.visitor, 'short') }) : undefined;
  const closeDialog = () => setDialog(undefined);
  const actions = useMemo(
    () => ({
      onTransfer: () => setDialog('transfer'),
      onNote: () => writeIn('note'),
      onClose: () => setDialog('close'),
    }),
    [writeIn],
  );
  return (
    <DropArea hint={dropHint} onFiles={(files) => composer.current?.addFiles(files)}>
      <Head {...{ onBack, onShowVisitor }} conversation={facts} actions={canWrite ? actions : undefined} />
      {isOwn && state === 'OFFERED' && <OfferStrip conversation={conversation} />}
      <MessageList conversation={conversation} viewer={viewer} isReadOnly={!canWrite} />
      {canWrite && <Composer ref={composer} mode={mode} onModeChange={writeIn} conversation={facts} viewer={viewer} />}
      {!canWrite && !(isOwn && state === 'OFFERED') && (
        <ReadOnlyStrip
          conversation={conversation}
          isClosing={isClosing && state !== 'CLOSED'}
          replacesComposer={couldWrite.current}
        />
      )}
      {canWrite && dialog !== undefined && (
        <LaterDialog title={t(dialog)} onCancel={closeDialog}>
          {({ TransferDialog, CloseDialog }) =>
            dialog === 'transfer' ? (
              <TransferDialog conversation={conversation} onClose={closeDialog} onTransferred={onTransferred} />
            ) : (
              <CloseDialog conversation={conversation} onClose={closeDialog} />
            )
          }
        </LaterDialog>
      )}
    </DropArea>
  );
}
