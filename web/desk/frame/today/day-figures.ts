import { formatCountdown } from '../../../shared/format/countdown.ts';
import type { DayStatistics } from './today-query.ts';

/** In place of a figure that there is not, or not yet. */
export const NO_FIGURE = '–';
/** The highest rating in the survey. */
const BEST_RATING = 5;

interface DayFigures {
  readonly conversations: string;
  /** `0:16`. */
  readonly firstAnswer: string;
  /** `4.8`, of 5. */
  readonly satisfaction: string;
}

export function formatDayFigures(statistics: DayStatistics | null | undefined, locale: string): DayFigures {
  const { conversationNumber, firstAnswerSeconds, satisfactionRate } = statistics ?? {};
  const rating = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return {
    conversations: conversationNumber === undefined ? NO_FIGURE : conversationNumber.toLocaleString(locale),
    firstAnswer: firstAnswerSeconds == null ? NO_FIGURE : formatCountdown(Math.round(firstAnswerSeconds)),
    satisfaction: satisfactionRate == null ? NO_FIGURE : rating.format(satisfactionRate * BEST_RATING),
  };
}
