import type { RefObject } from 'react';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { logOut } from '../../shared/api/session.ts';
import { Icon } from '../../shared/components/Icon.tsx';
import { LOG_OUT, USER } from '../../shared/components/icons.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { HELP, SETTINGS } from '../icons.ts';
import { navigate } from './navigation.ts';
import { frameTexts } from './texts.ts';
import { useReport } from './useReport.ts';

interface AccountPopoverProps {
  readonly label: string;
  /** Otherwise the focus is at the first choice. */
  readonly isByPointer: boolean;
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly onShowShortcuts: () => void;
}

/** The choices of the account menu. */
export function AccountPopover(props: AccountPopoverProps) {
  const { label, isByPointer, trigger, onOpenChange, onShowShortcuts } = props;
  const t = useTexts(frameTexts);
  const common = useTexts(commonTexts);
  const report = useReport();
  const leave = async () => {
    if (await report(logOut())) location.replace('/login');
  };
  return (
    <Popover
      className="popover"
      placement="bottom end"
      offset={4}
      triggerRef={trigger}
      isOpen
      onOpenChange={onOpenChange}
    >
      <Menu className="menu" aria-label={label} autoFocus={isByPointer || 'first'} onClose={() => onOpenChange(false)}>
        <MenuItem className="menu-item" onAction={() => navigate({ view: 'settings' })}>
          <Icon path={SETTINGS} />
          {t('settings')}
        </MenuItem>
        <MenuItem className="menu-item" href="/account?from=/desk">
          <Icon path={USER} />
          {t('account')}
        </MenuItem>
        <MenuItem className="menu-item" onAction={onShowShortcuts}>
          <Icon path={HELP} />
          {t('shortcuts')}
        </MenuItem>
        <MenuItem className="menu-item" onAction={leave}>
          <Icon path={LOG_OUT} />
          {common('logOut')}
        </MenuItem>
      </Menu>
    </Popover>
  );
}
