import { Button } from '../../shared/components/Button.tsx';
import { Dialog } from '../../shared/components/Dialog.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { frameTexts } from './texts.ts';

const SINGLE_KEYS = [
  ['A', 'keyAccept'],
  ['D', 'keyDecline'],
  ['/', 'keySearch'],
  ['?', 'keyShortcuts'],
] as const;

/** Every shortcut of the desk. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(frameTexts);
  const enterSends = useDesk((state) => state.viewer.preferences.enterSends);
  const hasSingleKeys = useDesk((state) => state.viewer.preferences.singleKeyShortcuts);
  const send = enterSends ? '⏎' : 'Ctrl ⏎';
  const lineBreak = enterSends ? '⇧ ⏎' : '⏎';
  const keys = [
    ...(hasSingleKeys ? SINGLE_KEYS.map(([key, text]) => [key, t(text)] as const) : []),
    ['Alt ↑ ↓', t('keySwitch')],
    ['↑ ↓', t('keyRows')],
    ['F6', t('keyToast')],
    [send, t('keySend')],
    [lineBreak, t('keyLineBreak')],
    ['/', t('keyCanned')],
  ] as const;
  return (
    <Dialog title={t('shortcuts')} onCancel={onClose}>
      <dl className="shortcuts">
        {keys.map(([key, text]) => (
          <div key={text}>
            <dt>
              <kbd className="key">{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {!hasSingleKeys && <p>{t('singleKeysOff')}</p>}
      <div className="dialog-actions">
        <Button onPress={onClose} autoFocus>
          {t('close')}
        </Button>
      </div>
    </Dialog>
  );
}
