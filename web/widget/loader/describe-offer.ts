import { findOffer, type WidgetSettings } from '../settings.ts';
import { describeTime, fill } from '../words.ts';

/** Disc, disc with a bar, circle. */
export type Lamp = 'available' | 'busy' | 'offline';

export interface LauncherText {
  readonly lamp: Lamp;
  readonly title: string;
  readonly detail: string;
}

/** What the launcher says. Undefined if nothing is on offer. */
export function describeOffer(settings: WidgetSettings, now: Date, locale: string): LauncherText | undefined {
  const { texts, opensAt } = settings;
  const offer = findOffer(settings);
  if (offer === 'nothing') return undefined;
  if (offer === 'chat') return { lamp: 'available', title: texts.launcher, detail: texts.available };
  if (offer === 'queue') return { lamp: 'busy', title: texts.launcher, detail: texts.busy };
  const detail = opensAt ? fill(texts.back, { time: describeTime(new Date(opensAt), now, locale) }) : texts.unavailable;
  return { lamp: 'offline', title: texts.leaveMessage, detail };
}
