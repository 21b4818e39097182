import { Button as AriaButton } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { logOut, type Session } from '../../shared/api/session.ts';
import { Avatar } from '../../shared/components/Avatar.tsx';
import { Icon } from '../../shared/components/Icon.tsx';
import { LOG_OUT, USER } from '../../shared/components/icons.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { HELP, SETTINGS } from '../icons.ts';
import { navigate } from './navigation.ts';
import { frameTexts } from './texts.ts';
import { useReport } from './useReport.ts';

interface AccountMenuProps {
  readonly session: Session;
  readonly onShowShortcuts: () => void;
}

/** What belongs to the operator, not to a conversation. */
export function AccountMenu({ session, onShowShortcuts }: AccountMenuProps) {
  const t = useTexts(frameTexts);
  const common = useTexts(commonTexts);
  const report = useReport();
  const name = [session.operator.firstName, session.operator.name].filter(Boolean).join(' ');
  const leave = async () => {
    if (await report(logOut())) location.replace('/login');
  };
  return (
    <MenuTrigger>
      <AriaButton className="button" data-kind="quiet" data-icon="">
        <Avatar name={name} />
        <span className="visually-hidden">{t('accountMenu', { name })}</span>
      </AriaButton>
      <Popover className="popover" placement="bottom end" offset={4}>
        <Menu className="menu" aria-label={t('accountMenu', { name })}>
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
    </MenuTrigger>
  );
}
