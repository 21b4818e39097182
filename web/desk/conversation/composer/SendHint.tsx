import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { conversationTexts } from '../texts.ts';

interface SendHintProps {
  readonly isNote: boolean;
  readonly enterSends: boolean;
  /** The message is sent as soon as its files are uploaded. */
  readonly isWaiting: boolean;
}

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function SendHint({ isNote, enterSends, isWaiting }: SendHintProps) {
  const t = useTexts(conversationTexts);
  if (isWaiting) {
    return (
      <span className="small composer-hint" role="status">
        {t('sendsAfterUpload')}
      </span>
    );
  }
  return (
    <span className="small composer-hint">
      <kbd className="key">{enterSends ? '⏎' : IS_MAC ? '⌘ ⏎' : 'Ctrl ⏎'}</kbd> {isNote ? t('keySave') : t('keySend')}
      <kbd className="key">{enterSends ? '⇧ ⏎' : '⏎'}</kbd> {t('keyNewLine')}
    </span>
  );
}
