import type { Translate } from '../../shared/texts/texts.ts';
import type { frameTexts } from './texts.ts';

/** The service waits for an operator who went offline for this time: see `docs/presence.md`. */
export const REQUEUE_AFTER_MS = 60_000;
/** Where the time is in the text, which is shown in an element of its own. */
export const TIME_PLACE = '{time}';

/** What happens unless the viewer connects again. `count`: their running conversations. */
export function describeConsequence(count: number, secondsLeft: number, t: Translate<typeof frameTexts.en>): string {
  if (count === 0) return t('takenOfflineNone');
  if (secondsLeft === 0) return count === 1 ? t('takenOfflineOne') : t('takenOfflineMany', { count });
  const time = TIME_PLACE;
  return count === 1 ? t('takenOfflineOneIn', { time }) : t('takenOfflineManyIn', { count, time });
}
