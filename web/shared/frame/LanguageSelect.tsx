import { SelectField } from '../components/SelectField.tsx';
import { commonTexts } from '../texts/common.ts';
import { useLanguage, useTexts } from '../texts/LanguageContext.tsx';
import { LANGUAGES } from '../texts/language.ts';

export function LanguageSelect() {
  const t = useTexts(commonTexts);
  const { language, choose } = useLanguage();
  return <SelectField label={t('language')} isLabelHidden value={language} options={LANGUAGES} onChange={choose} />;
}
