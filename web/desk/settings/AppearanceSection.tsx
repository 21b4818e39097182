import { Segments } from '../../shared/components/Segments.tsx';
import { SelectField } from '../../shared/components/SelectField.tsx';
import { useSaving } from '../../shared/frame/useSaving.ts';
import { useLanguage, useTexts } from '../../shared/texts/LanguageContext.tsx';
import { LANGUAGES, type Language } from '../../shared/texts/language.ts';
import { chooseTheme } from '../../shared/theme/page-theme.ts';
import type { Theme } from '../../shared/theme/theme.ts';
import { Failed } from './Failed.tsx';
import { SettingsSection } from './SettingsSection.tsx';
import { saveLanguage } from './settings-query.ts';
import { settingsTexts } from './texts.ts';
import { useChosenPreferences } from './useChosenPreferences.ts';

/** Takes effect at once, on all desks of the operator. */
export function AppearanceSection({ operatorId }: { readonly operatorId: string }) {
  const t = useTexts(settingsTexts);
  const { language, choose: chooseLanguage } = useLanguage();
  const saving = useSaving((tag: Language) => saveLanguage(operatorId, tag));
  const { preferences, choose, failure, retry } = useChosenPreferences();
  const pickLanguage = (picked: Language) => {
    chooseLanguage(picked);
    saving.save(picked);
  };
  const pickTheme = (theme: Theme) => {
    chooseTheme(theme);
    choose({ theme });
  };
  return (
    <SettingsSection title={t('appearance')} description={t('appearanceHint')}>
      <div className="settings-form">
        <Failed failure={failure} onRetry={retry} />
        <Failed failure={saving.failure} onRetry={saving.retry} />
        <SelectField label={t('language')} value={language} options={LANGUAGES} onChange={pickLanguage} />
        <Segments
          label={t('theme')}
          value={preferences.theme}
          options={{ SYSTEM: t('themeSystem'), LIGHT: t('themeLight'), DARK: t('themeDark') }}
          onChange={pickTheme}
        />
        <Segments
          label={t('density')}
          value={preferences.density}
          options={{ COMFORTABLE: t('comfortable'), COMPACT: t('compact') }}
          onChange={(density) => choose({ density })}
        />
      </div>
    </SettingsSection>
  );
}
