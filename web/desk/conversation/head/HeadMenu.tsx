import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../../shared/components/Button.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { LaterPopup } from '../../later/LaterPopup.tsx';
import { MORE } from '../icons.ts';
import { conversationTexts } from '../texts.ts';
import type { HeadActions } from './actions.ts';

/** The actions of the head where there is no room for their buttons. */
export function HeadMenu({ actions }: { readonly actions: HeadActions }) {
  const t = useTexts(conversationTexts);
  const [isOpen, setOpen] = useState(false);
  /** With the keyboard one is at the first choice. */
  const [isByPointer, setByPointer] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<() => void>(undefined);
  // The menu keeps the focus inside as long as it is there.
  useEffect(() => {
    if (isOpen) return;
    chosen.current?.();
    chosen.current = undefined;
  }, [isOpen]);
  const choose = (action: () => void) => {
    chosen.current = action;
    setOpen(false);
  };
  return (
    <span className="head-more">
      <IconButton
        icon={MORE}
        label={t('moreActions')}
        ref={trigger}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPress={({ pointerType }) => {
          setByPointer(pointerType !== 'keyboard' && pointerType !== 'virtual');
          setOpen(true);
        }}
      />
      {isOpen && (
        <LaterPopup onOpenChange={setOpen}>
          {({ HeadPopover }) => (
            <HeadPopover onChoose={choose} onOpenChange={setOpen} {...{ actions, isByPointer, trigger }} />
          )}
        </LaterPopup>
      )}
    </span>
  );
}
