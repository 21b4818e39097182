import { useEffect, useRef } from 'react';
import { Button } from '../../shared/components/Button.tsx';
import { RingFrame } from '../../shared/frame/RingFrame.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { linkTexts } from './texts.ts';

interface ReplaceStepProps {
  /** Of the operator who is logged in. */
  readonly name: string;
  readonly onAccept: () => void;
  readonly onDecline: () => void;
}

/** A link that logs in could also have come from someone else: who is logged in decides. */
export function ReplaceStep({ name, onAccept, onDecline }: ReplaceStepProps) {
  const t = useTexts(linkTexts);
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <RingFrame title={t('replaceTitle')} introduction={t('replace', { name })}>
      <Button kind="primary" onPress={onDecline} ref={stay}>
        {t('replaceDecline', { name })}
      </Button>
      <Button onPress={onAccept}>{t('replaceAccept')}</Button>
    </RingFrame>
  );
}
