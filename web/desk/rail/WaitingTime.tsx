import { formatCountdown } from '../../shared/format/countdown.ts';
import { useNow } from '../../shared/format/useNow.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { toLocalTime } from '../state/server-time.ts';
import { railTexts } from './texts.ts';

/** How long someone has been waiting, in words. */
export function WaitingTime({ since }: { readonly since: string }) {
  const t = useTexts(railTexts);
  return <>{t('waited', { time: formatCountdown(useSecondsSince(since)) })}</>;
}

/** Whole seconds by the clock of the service, again every second. */
export function useSecondsSince(since: string): number {
  const clockOffset = useDesk((state) => state.clockOffset);
  const now = useNow(1000);
  return Math.max(0, Math.floor((now - toLocalTime(since, clockOffset)) / 1000));
}
