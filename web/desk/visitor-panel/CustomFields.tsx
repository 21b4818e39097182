import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { Facts } from './Facts.tsx';
import { PanelSection } from './PanelSection.tsx';
import { visitorPanelTexts } from './texts.ts';
import { Verified } from './Verified.tsx';
import type { VisitorContext } from './visitor-query.ts';

/** What the website tells about its visitor. */
export function CustomFields({ fields }: Pick<VisitorContext, 'fields'>) {
  const t = useTexts(visitorPanelTexts);
  if (fields.length === 0) return null;
  return (
    <PanelSection name="fields" title={t('fields')}>
      <Facts
        facts={fields.map(({ name, value, isVerified }) => [
          name,
          <>
            {value} {isVerified && <Verified />}
          </>,
        ])}
      />
    </PanelSection>
  );
}
