import type { Translate } from '../../../shared/texts/texts.ts';
import type { ChannelLive } from '../../state/model.ts';
import type { frameTexts } from '../texts.ts';

interface DescribeOptions {
  readonly viewerId: string;
  readonly locale: string;
  readonly now: number;
  readonly t: Translate<typeof frameTexts.en>;
}

/** Who or what has turned the channel off, and when. Undefined if it is on, or if the viewer did it themselves. */
export function describeSwitchOff(
  live: ChannelLive,
  { viewerId, locale, now, t }: DescribeOptions,
): string | undefined {
  const { available, changedAt, changedBy, changedReason } = live;
  if (available || changedAt === null || changedBy === null) return undefined;
  const when = describeMoment(changedAt, { now, locale, t });
  if (changedReason === 'missed_offers') return t('offAfterMissed', { when });
  if (changedBy.type === 'OPERATOR' && changedBy.id === viewerId) return undefined;
  return changedBy.name === null ? t('offAt', { when }) : t('offBy', { name: changedBy.name, when });
}

/** `at 10:32`; with the date if it was not today. */
function describeMoment(at: string, { now, locale, t }: Omit<DescribeOptions, 'viewerId'>): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  const format = new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...(!isToday && { dateStyle: 'medium' }) });
  const time = format.format(new Date(at));
  return isToday ? t('atTime', { time }) : t('onDate', { time });
}
