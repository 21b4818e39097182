import { memo } from 'react';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { conversationTexts } from '../texts.ts';
import { describeDay } from './times.ts';

/** Between the messages of two days. `day` is its midnight in milliseconds. */
export const DayLine = memo(function DayLine({ day }: { readonly day: number }) {
  const t = useTexts(conversationTexts);
  const { locale } = useLanguage();
  const described = describeDay(day, { now: Date.now(), locale });
  return (
    <p className="day">
      <span>{described.kind === 'date' ? described.text : t(described.kind)}</span>
    </p>
  );
});
