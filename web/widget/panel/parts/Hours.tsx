import type { WidgetSettings } from '../../settings.ts';
import { describeHours, describeTimeZone } from './hours.ts';

interface HoursProps {
  readonly settings: WidgetSettings;
  readonly locale: string;
  /** What stands beside a day without hours. */
  readonly closed: string;
}

export function Hours({ settings: { openingHours, timezone }, locale, closed }: HoursProps) {
  if (!openingHours) return null;
  const now = new Date();
  const zone = describeTimeZone(now, timezone, locale);
  return (
    <div class="hours">
      <dl>
        {describeHours(openingHours, now, timezone, locale).map(({ days, times }) => [
          <dt>{days}</dt>,
          <dd>
            {times.length > 0
              ? times.map((time, index) => <span>{index < times.length - 1 ? `${time},` : time}</span>)
              : closed}
          </dd>,
        ])}
      </dl>
      {zone && <p class="small">{zone}</p>}
    </div>
  );
}
