import { Banner } from '../../shared/components/Banner.tsx';
import { TIMER } from '../../shared/components/icons.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { linkTexts } from './texts.ts';

/** Why a single sign-on link did not log in. */
export type LinkReason = 'linkUsed' | 'linkInvalid' | 'linkWrong' | 'linkLimited' | 'linkUnavailable';

export function LinkNotice({ reason }: { readonly reason: LinkReason }) {
  const t = useTexts(linkTexts);
  return (
    <Banner icon={TIMER} title={t(`${reason}Title`)}>
      {t(reason)}
    </Banner>
  );
}
