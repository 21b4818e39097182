import { MenuItem } from 'react-aria-components/Menu';
import { Icon } from '../../../shared/components/Icon.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { MenuPopover, type OpenMenu } from '../../frame/MenuPopover.tsx';
import { CLOSE_CONVERSATION, NOTE, TRANSFER } from '../icons.ts';
import { conversationTexts } from '../texts.ts';
import type { HeadActions } from './actions.ts';

interface HeadPopoverProps extends OpenMenu {
  readonly actions: HeadActions;
  readonly onChoose: (action: () => void) => void;
}

/** The choices of the menu of a conversation. */
export function HeadPopover({ actions, onChoose, ...menu }: HeadPopoverProps) {
  const t = useTexts(conversationTexts);
  const choices = [
    { icon: TRANSFER, label: t('transfer'), action: actions.onTransfer },
    { icon: NOTE, label: t('note'), action: actions.onNote },
    { icon: CLOSE_CONVERSATION, label: t('close'), action: actions.onClose },
  ];
  return (
    <MenuPopover label={t('moreActions')} {...menu}>
      {choices.map(({ icon, label, action }) => (
        <MenuItem className="menu-item" key={label} textValue={label} onAction={() => onChoose(action)}>
          <Icon path={icon} />
          {label}
        </MenuItem>
      ))}
    </MenuPopover>
  );
}
