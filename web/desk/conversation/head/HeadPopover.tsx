import type { RefObject } from 'react';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Icon } from '../../../shared/components/Icon.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { CLOSE_CONVERSATION, NOTE, TRANSFER } from '../icons.ts';
import { conversationTexts } from '../texts.ts';
import type { HeadActions } from './actions.ts';

interface HeadPopoverProps {
  readonly actions: HeadActions;
  /** Otherwise the focus is at the first choice. */
  readonly isByPointer: boolean;
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly onChoose: (action: () => void) => void;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** The choices of the menu of a conversation. */
export function HeadPopover(props: HeadPopoverProps) {
  const { actions, isByPointer, trigger, onChoose, onOpenChange } = props;
  const t = useTexts(conversationTexts);
  const choices = [
    { icon: TRANSFER, label: t('transfer'), action: actions.onTransfer },
    { icon: NOTE, label: t('note'), action: actions.onNote },
    { icon: CLOSE_CONVERSATION, label: t('close'), action: actions.onClose },
  ];
  return (
    <Popover
      className="popover"
      placement="bottom end"
      offset={4}
      triggerRef={trigger}
      isOpen
      onOpenChange={onOpenChange}
    >
      <Menu
        className="menu"
        aria-label={t('moreActions')}
        autoFocus={isByPointer || 'first'}
        onClose={() => onOpenChange(false)}
      >
        {choices.map(({ icon, label, action }) => (
          <MenuItem className="menu-item" key={label} textValue={label} onAction={() => onChoose(action)}>
            <Icon path={icon} />
            {label}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  );
}
