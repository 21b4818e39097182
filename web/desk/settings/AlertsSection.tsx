import { Button } from '../../shared/components/Button.tsx';
import { Switch } from '../../shared/components/Switch.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { playSound } from '../frame/alerts/sound.ts';
import { SPEAKER } from '../icons.ts';
import { Failed } from './Failed.tsx';
import { NotificationChoice } from './NotificationChoice.tsx';
import { SettingsSection } from './SettingsSection.tsx';
import { settingsTexts } from './texts.ts';
import { useChosenPreferences } from './useChosenPreferences.ts';

/** How the desk says that something new is there. */
export function AlertsSection() {
  const t = useTexts(settingsTexts);
  const { preferences, choose, failure, retry } = useChosenPreferences();
  return (
    <SettingsSection title={t('alerts')} description={t('alertsHint')}>
      <Failed failure={failure} onRetry={retry} />
      <div className="settings-line">
        <Switch
          label={t('sound')}
          hint={t('soundHint')}
          isOn={preferences.sound}
          onChange={(sound) => choose({ sound })}
        />
        <Button icon={SPEAKER} onPress={() => playSound('offer')}>
          {t('playIt')}
        </Button>
      </div>
      <NotificationChoice isOn={preferences.notifications} onChange={(notifications) => choose({ notifications })} />
    </SettingsSection>
  );
}
