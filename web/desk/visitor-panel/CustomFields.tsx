import { useState } from 'react';
import { Button } from '../../shared/components/Button.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { Linked } from '../conversation/messages/Linked.tsx';
import { Facts } from './Facts.tsx';
import { PanelSection } from './PanelSection.tsx';
import { visitorPanelTexts } from './texts.ts';
import { Verified } from './Verified.tsx';
import type { VisitorContext } from './visitor-query.ts';

/** About three lines. */
const MAX_LENGTH = 100;

/** What the website tells about its visitor. */
export function CustomFields({ fields }: Pick<VisitorContext, 'fields'>) {
  const t = useTexts(visitorPanelTexts);
  const known = fields.filter(({ value }) => value.trim() !== '');
  if (known.length === 0) return null;
  return (
    <PanelSection name="fields" title={t('fields')}>
      <Facts
        facts={known.map(({ name, value, isVerified }) => [
          name,
          <>
            <Value text={value} /> {isVerified && <Verified />}
          </>,
        ])}
      />
    </PanelSection>
  );
}

/** A long value does not push everything else out of sight. */
function Value({ text }: { readonly text: string }) {
  const t = useTexts(visitorPanelTexts);
  const [isWhole, setWhole] = useState(false);
  if (text.length <= MAX_LENGTH) return <Linked text={text} />;
  return (
    <>
      <span className={isWhole ? undefined : 'clamped'}>
        <Linked text={text} />
      </span>{' '}
      <Button size="small" kind="quiet" aria-expanded={isWhole} onPress={() => setWhole(!isWhole)}>
        {isWhole ? t('showLess') : t('showMore')}
      </Button>
    </>
  );
}
