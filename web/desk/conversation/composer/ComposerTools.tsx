import { memo, useRef, useState } from 'react';
import { Button, IconButton } from '../../../shared/components/Button.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { EmojiButton } from '../emoji/EmojiButton.tsx';
import { CLIP, LOCK, NOTE, SEND, SLASH } from '../icons.ts';
import { conversationTexts } from '../texts.ts';
import { SendHint } from './SendHint.tsx';

/** What the buttons do. */
export interface ComposerActions {
  addFiles(files: FileList | null): void;
  insert(text: string): void;
  openCanned(): void;
  writeNote(): void;
  send(): void;
}

/** The same object for good; what it does is that of the last rendering. */
export function useLatestActions(actions: ComposerActions): ComposerActions {
  const latest = useRef(actions);
  latest.current = actions;
  const [stable] = useState<ComposerActions>(() => ({
    addFiles: (files) => latest.current.addFiles(files),
    insert: (text) => latest.current.insert(text),
    openCanned: () => latest.current.openCanned(),
    writeNote: () => latest.current.writeNote(),
    send: () => latest.current.send(),
  }));
  return stable;
}

interface ComposerToolsProps {
  readonly isNote: boolean;
  readonly enterSends: boolean;
  readonly isWaiting: boolean;
  /** Of `useLatestActions`. */
  readonly actions: ComposerActions;
}

/** The buttons under the field. Not drawn again at every key. */
export const ComposerTools = memo(function ComposerTools(props: ComposerToolsProps) {
  const { isNote, enterSends, isWaiting, actions } = props;
  const t = useTexts(conversationTexts);
  const files = useRef<HTMLInputElement>(null);
  return (
    <div className="composer-tools">
      {!isNote && (
        <>
          <IconButton icon={CLIP} label={t('attachFile')} onPress={() => files.current?.click()} />
          <input
            ref={files}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              actions.addFiles(event.target.files);
              event.target.value = ''; // the same file can be chosen again
            }}
          />
        </>
      )}
      <EmojiButton onChoose={actions.insert} />
      {!isNote && <IconButton icon={SLASH} label={t('cannedReplies')} onPress={actions.openCanned} />}
      {!isNote && <IconButton icon={NOTE} label={t('writeNote')} onPress={actions.writeNote} />}
      <SendHint isNote={isNote} enterSends={enterSends} isWaiting={isWaiting} />
      <Button kind="primary" icon={isNote ? LOCK : SEND} onPress={actions.send}>
        {isNote ? t('saveNote') : t('send')}
      </Button>
    </div>
  );
});
