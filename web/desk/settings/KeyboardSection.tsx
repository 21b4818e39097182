import { Switch } from '../../shared/components/Switch.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { Failed } from './Failed.tsx';
import { SettingsSection } from './SettingsSection.tsx';
import { settingsTexts } from './texts.ts';
import { useChosenPreferences } from './useChosenPreferences.ts';

export function KeyboardSection() {
  const t = useTexts(settingsTexts);
  const { preferences, choose, failure, retry } = useChosenPreferences();
  return (
    <SettingsSection title={t('keyboard')} description={t('keyboardHint')}>
      <Failed failure={failure} onRetry={retry} />
      <Switch
        label={t('enterSends')}
        hint={preferences.enterSends ? t('enterSendsOn') : t('enterSendsOff')}
        isOn={preferences.enterSends}
        onChange={(enterSends) => choose({ enterSends })}
      />
      <Switch
        label={t('singleKeys')}
        hint={t('singleKeysHint')}
        isOn={preferences.singleKeyShortcuts}
        onChange={(singleKeyShortcuts) => choose({ singleKeyShortcuts })}
      />
    </SettingsSection>
  );
}
