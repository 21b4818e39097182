import { MenuItem } from 'react-aria-components/Menu';
import { logOut } from '../../shared/api/session.ts';
import { Icon } from '../../shared/components/Icon.tsx';
import { LOG_OUT, USER } from '../../shared/components/icons.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { HELP, SETTINGS } from '../icons.ts';
import { MenuPopover, type OpenMenu } from './MenuPopover.tsx';
import { navigate } from './navigation.ts';
import { frameTexts } from './texts.ts';
import { useReport } from './useReport.ts';

interface AccountPopoverProps extends OpenMenu {
  readonly label: string;
  readonly onShowShortcuts: () => void;
}

/** The choices of the account menu. */
export function AccountPopover({ onShowShortcuts, ...menu }: AccountPopoverProps) {
  const t = useTexts(frameTexts);
  const common = useTexts(commonTexts);
  const report = useReport();
  const leave = async () => {
    if (await report(logOut())) location.replace('/login');
  };
  return (
    <MenuPopover {...menu}>
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
    </MenuPopover>
  );
}
