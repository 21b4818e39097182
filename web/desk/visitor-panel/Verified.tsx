import { Icon } from '../../shared/components/Icon.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { VERIFIED } from '../icons.ts';
import { visitorPanelTexts } from './texts.ts';

/** The website has signed the value: it does not come from the visitor's browser alone. */
export function Verified() {
  const t = useTexts(visitorPanelTexts);
  return (
    <span className="verified" title={t('verifiedHint')}>
      <Icon path={VERIFIED} />
      {t('verified')}
    </span>
  );
}
