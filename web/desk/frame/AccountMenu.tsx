import { useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import type { Session } from '../../shared/api/session.ts';
import { Avatar } from '../../shared/components/Avatar.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { LaterPopup } from '../later/LaterPopup.tsx';
import { frameTexts } from './texts.ts';

interface AccountMenuProps {
  readonly session: Session;
  readonly onShowShortcuts: () => void;
}

/** What belongs to the operator, not to a conversation. */
export function AccountMenu({ session, onShowShortcuts }: AccountMenuProps) {
  const t = useTexts(frameTexts);
  const [isOpen, setOpen] = useState(false);
  /** With the keyboard one is at the first choice. */
  const [isByPointer, setByPointer] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const name = [session.operator.firstName, session.operator.name].filter(Boolean).join(' ');
  const open = (byPointer: boolean) => {
    setByPointer(byPointer);
    setOpen(true);
  };
  const label = t('accountMenu', { name });
  return (
    <>
      <AriaButton
        className="button"
        data-kind="quiet"
        data-icon=""
        ref={trigger}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPress={({ pointerType }) => open(pointerType !== 'keyboard' && pointerType !== 'virtual')}
        onKeyDown={({ key }) => {
          if (key === 'ArrowDown') open(false);
        }}
      >
        <Avatar name={name} />
        <span className="visually-hidden">{label}</span>
      </AriaButton>
      {isOpen && (
        <LaterPopup onOpenChange={setOpen}>
          {({ AccountPopover }) => (
            <AccountPopover trigger={trigger} onOpenChange={setOpen} {...{ label, isByPointer, onShowShortcuts }} />
          )}
        </LaterPopup>
      )}
    </>
  );
}
