import type { Session } from '../../shared/api/session.ts';
import { IconButton } from '../../shared/components/Button.tsx';
import { Brand } from '../../shared/frame/Brand.tsx';
import { ThemeSwitch } from '../../shared/frame/ThemeSwitch.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import { HELP } from '../icons.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { Capacity } from './presence/Capacity.tsx';
import { PresenceMenu } from './presence/PresenceMenu.tsx';
import { RouteLink } from './RouteLink.tsx';
import { SearchField, type SearchFieldProps } from './SearchField.tsx';
import { frameTexts } from './texts.ts';

interface DeskHeaderProps {
  readonly session: Session;
  readonly search: SearchFieldProps;
  readonly onShowShortcuts: () => void;
}

export function DeskHeader({ session, search, onShowShortcuts }: DeskHeaderProps) {
  const t = useTexts(frameTexts);
  const theme = useDesk((state) => state.viewer.preferences.theme);
  const { updatePreferences } = useDeskActions();
  return (
    <header className="bar">
      <RouteLink className="brand" to={{ view: 'list' }}>
        <Brand />
      </RouteLink>
      <PresenceMenu />
      <Capacity />
      <span className="bar-search">
        <SearchField {...search} />
      </span>
      <span className="bar-end">
        <span data-wide="">
          <IconButton icon={HELP} label={t('shortcuts')} onPress={onShowShortcuts} />
        </span>
        <span data-wide="">
          <ThemeSwitch theme={theme} onChoose={(chosen) => updatePreferences({ theme: chosen })} />
        </span>
        <AccountMenu session={session} onShowShortcuts={onShowShortcuts} />
      </span>
    </header>
  );
}
