import {
  type ClipboardEvent,
  type KeyboardEvent,
  memo,
  type Ref,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { Icon } from '../../../shared/components/Icon.tsx';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import { useVisitorName } from '../../frame/useVisitorName.ts';
import type { ConversationFacts } from '../../state/facts.ts';
import type { Viewer } from '../../state/model.ts';
import { CannedList } from '../canned/CannedList.tsx';
import { isShortcutOnly } from '../canned/canned-replies.ts';
import { useCanned } from '../canned/useCanned.ts';
import { LOCK } from '../icons.ts';
import { useUploads } from '../memory/ConversationMemory.tsx';
import { conversationTexts } from '../texts.ts';
import { ComposerTools, useLatestActions } from './ComposerTools.tsx';
import { insertText } from './insert-text.ts';
import { isSendKey } from './send-key.ts';
import { UploadRow } from './UploadRow.tsx';
import { isRunning } from './uploads.ts';
import { useDraft } from './useDraft.ts';

export type ComposerMode = 'message' | 'note';

/** What the rest of the view does with the composer. */
export interface ComposerHandle {
  focus(): void;
  /** Files for the message; a note has none. */
  addFiles(files: Iterable<File>): void;
}

interface ComposerProps {
  readonly conversation: ConversationFacts;
  readonly viewer: Viewer;
  readonly mode: ComposerMode;
  readonly onModeChange: (mode: ComposerMode) => void;
  readonly ref?: Ref<ComposerHandle>;
}

const MAX_LENGTH = 10_000;

/**
 * The field for messages and notes, each with its own draft. What is typed is the state of this component alone:
 * messages that arrive do not draw it again, and typing does not draw the messages again.
 */
export const Composer = memo(function Composer({ conversation, viewer, mode, onModeChange, ref }: ComposerProps) {
  const t = useTexts(conversationTexts);
  const nameVisitor = useVisitorName();
  const { language, locale } = useLanguage();
  const { id } = conversation;
  const actions = useDeskActions();
  const [message, setMessage] = useDraft(id);
  const [note, setNote] = useDraft(`${id}:note`);
  const [uploads, uploadStore] = useUploads(id);
  const [isWaiting, setWaiting] = useState(false);
  /** Refused once: it looks like a canned reply that does not exist. */
  const [unknownReply, setUnknownReply] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const fileRules = useDesk((state) => state.account);
  const isNote = mode === 'note';
  const [text, setText] = isNote ? [note, setNote] : [message, setMessage];
  const canned = useCanned({ conversation, viewer, field, isEnabled: !isNote });
  const addFiles = (added: Iterable<File> | null | undefined) => {
    if (added && !isNote) uploadStore.add(id, [...added], fileRules);
  };
  useImperativeHandle(ref, () => ({ focus: () => field.current?.focus(), addFiles }));

  const isUploading = uploads.some(isRunning);
  const tooMany = Math.max(0, text.length - MAX_LENGTH);
  const hasFiles = !isNote && uploads.some(({ attachment }) => attachment !== undefined);
  const change = (next: string) => {
    setText(next);
    setWaiting(false);
    setUnknownReply(undefined);
    if (!isNote && next !== '') actions.type(id);
  };
  const send = () => {
    if (tooMany > 0) return;
    if (isNote) {
      if (text.trim() === '') return;
      actions.addNote(id, text.trim());
      setText('');
      return; // more notes can follow: the next line is not for the visitor either
    }
    if (isShortcutOnly(text) && !canned.isClosed && unknownReply !== text) return setUnknownReply(text);
    if (isUploading) return setWaiting(true);
    setWaiting(false);
    if (text.trim() === '' && !hasFiles) return;
    actions.sendMessage(id, text.trim(), uploadStore.takeStored(id));
    setText('');
  };
  // Only when the last upload has ended.
  useEffect(() => {
    if (isWaiting && !isUploading) send();
  }, [isWaiting, isUploading]);

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter ends the composition of a character, such as in Japanese.
    if (event.nativeEvent.isComposing) return;
    if (canned.onKeyDown(event)) return;
    if (event.key === 'Escape' && isNote && note === '') return onModeChange('message');
    if (!isSendKey(event, viewer.preferences.enterSends)) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent) => {
    // Office programs put a picture of the text beside the text.
    if (isNote || event.clipboardData.files.length === 0 || event.clipboardData.types.includes('text/plain')) return;
    event.preventDefault();
    addFiles(event.clipboardData.files);
  };
  const toolActions = useLatestActions({
    addFiles(files) {
      addFiles(files);
      field.current?.focus();
    },
    insert(inserted) {
      if (field.current) insertText(field.current, inserted);
    },
    openCanned: canned.open,
    writeNote: () => onModeChange('note'),
    send() {
      send();
      field.current?.focus();
    },
  });

  const name = nameVisitor(conversation.visitor);
  const label = isNote ? t('noteLabel', { name }) : t('messageLabel', { name });
  const shortName = nameVisitor(conversation.visitor, 'short');
  return (
    <div className="composer" data-mode={mode}>
      <CannedList canned={canned} />
      {isNote && (
        <p className="note-head composer-note">
          <Icon path={LOCK} />
          <span>
            <strong>{t('note')}</strong> · {t('onlyOperators')}
          </span>
          <Button kind="quiet" size="small" onPress={() => onModeChange('message')}>
            {t('writeMessageInstead')}
          </Button>
        </p>
      )}
      {!isNote &&
        uploads.map((upload) => (
          <UploadRow
            key={upload.key}
            upload={upload}
            onRemove={() => {
              uploadStore.remove(id, upload.key);
              field.current?.focus();
            }}
          />
        ))}
      <textarea
        ref={field}
        rows={2}
        dir="auto"
        lang={isNote ? language : conversation.language}
        value={text}
        aria-label={label}
        aria-invalid={tooMany > 0 ? true : undefined}
        placeholder={isNote ? t('notePlaceholder') : t('messagePlaceholder', { name: shortName })}
        onChange={(event) => change(event.target.value)}
        onPaste={onPaste}
        onKeyDown={onKeyDown}
        {...canned.fieldProps}
      />
      {!isNote && unknownReply === text && (
        <p className="small composer-warning" role="status">
          {t('cannedUnknown', { shortcut: text.trim() })}
        </p>
      )}
      {tooMany > 0 && (
        <p className="field-error composer-error" role="alert">
          {t('tooLong', { count: tooMany.toLocaleString(locale) })}
        </p>
      )}
      <ComposerTools
        isNote={isNote}
        enterSends={viewer.preferences.enterSends}
        isWaiting={isWaiting && isUploading}
        actions={toolActions}
      />
    </div>
  );
});
