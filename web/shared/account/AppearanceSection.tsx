import { useState } from 'react';
import { Button } from '../components/Button.tsx';
import { Segments } from '../components/Segments.tsx';
import { SelectField } from '../components/SelectField.tsx';
import { FailureBanner } from '../frame/FailureBanner.tsx';
import { useSaving } from '../frame/useSaving.ts';
import { useWait } from '../frame/useWait.ts';
import { commonTexts } from '../texts/common.ts';
import { useLanguage, useTexts } from '../texts/LanguageContext.tsx';
import { LANGUAGES, type Language } from '../texts/language.ts';
import { chooseTheme } from '../theme/page-theme.ts';
import type { Theme } from '../theme/theme.ts';
import type { Account } from './account-query.ts';
import { changeLanguage, changeTheme } from './changes.ts';
import { Section } from './Section.tsx';
import { accountTexts } from './texts.ts';

interface AppearanceSectionProps {
  readonly operatorId: string;
  readonly account: Account;
}

/** Takes effect at once, here and wherever the operator logs in from now on. */
export function AppearanceSection({ operatorId, account }: AppearanceSectionProps) {
  const t = useTexts(accountTexts);
  const common = useTexts(commonTexts);
  const { language, choose } = useLanguage();
  const [theme, setTheme] = useState<Theme>(account.theme);
  const saving = useSaving((tag: Language) => changeLanguage(operatorId, tag));
  const appearance = useSaving(changeTheme);
  const failed = [saving, appearance].filter(({ failure }) => failure !== undefined);
  const failure = failed[0]?.failure;
  const wait = useWait(failure);
  const retry = () => {
    for (const each of failed) each.retry();
  };
  const pickLanguage = (picked: Language) => {
    choose(picked);
    saving.save(picked);
  };
  const pickTheme = (picked: Theme) => {
    setTheme(picked);
    chooseTheme(picked);
    appearance.save(picked);
  };
  return (
    <Section title={t('appearance')} description={t('appearanceHint')}>
      <div className="account-form">
        {failure && (
          <div className="account-notice">
            <FailureBanner failure={failure} wait={wait} />
            <Button onPress={retry}>{common('tryAgain')}</Button>
          </div>
        )}
        <SelectField label={t('language')} value={language} options={LANGUAGES} onChange={pickLanguage} />
        <Segments
          label={t('theme')}
          value={theme}
          options={{ SYSTEM: t('themeSystem'), LIGHT: t('themeLight'), DARK: t('themeDark') }}
          onChange={pickTheme}
        />
      </div>
    </Section>
  );
}
