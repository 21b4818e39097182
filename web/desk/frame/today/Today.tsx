import { useEffect } from 'react';
import { useReading } from '../../../shared/api/useReading.ts';
import { useReloadWhileVisible } from '../../../shared/api/useReloadWhileVisible.ts';
import { useNow } from '../../../shared/format/useNow.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import { findMidnight, selectClosed, selectMine } from '../../state/select-conversations.ts';
import { frameTexts } from '../texts.ts';
import { formatDayFigures, NO_FIGURE } from './day-figures.ts';
import { readDayStatistics } from './today-query.ts';

/** The operator's own figures since midnight. They have their place before they are read. */
export function Today() {
  const t = useTexts(frameTexts);
  const { locale } = useLanguage();
  const midnight = findMidnight(useNow(60_000));
  const { value, reload } = useReading(String(midnight), () => readDayStatistics(midnight));
  const count = useDesk((state) => selectMine(state).length + selectClosed(state).length);
  useReloadWhileVisible(reload);
  useEffect(() => {
    if (count > 0) reload();
  }, [count, reload]);
  const { conversations, firstAnswer, satisfaction } = formatDayFigures(value, locale);
  return (
    <dl className="day-figures" aria-busy={value === undefined}>
      <div>
        <dt>{t('conversationsToday')}</dt>
        <dd>{conversations}</dd>
      </div>
      <div>
        <dt>{t('firstAnswer')}</dt>
        <dd>{firstAnswer}</dd>
      </div>
      <div>
        <dt>{t('satisfaction')}</dt>
        <dd>
          {satisfaction}
          {satisfaction !== NO_FIGURE && <span className="visually-hidden"> {t('ofFive')}</span>}
        </dd>
      </div>
    </dl>
  );
}
