import type { Failure } from '../api/request.ts';
import { Banner } from '../components/Banner.tsx';
import { ALERT, TIMER } from '../components/icons.ts';
import { formatCountdown } from '../format/countdown.ts';
import { createLogInAddress } from '../page/addresses.ts';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import type { Wait } from './useWait.ts';

interface FailureBannerProps {
  readonly failure: Failure | undefined;
  readonly wait: Wait;
  /** Codes of the service that the view explains itself, for example at a field. */
  readonly explained?: readonly string[];
}

/** Why the last attempt failed, if the view does not say it at a field. */
export function FailureBanner({ failure, wait, explained = [] }: FailureBannerProps) {
  const t = useTexts(commonTexts);
  if (failure?.kind === 'limited' && wait.secondsLeft > 0) {
    // A screen reader hears the time once: the button has it too, and counts.
    return (
      <Banner icon={TIMER} role="alert" title={t('limitedTitle')}>
        <span aria-hidden="true">{t('limited', { time: formatCountdown(wait.secondsLeft) })}</span>
        <span className="visually-hidden">{t('limited', { time: formatCountdown(failure.seconds) })}</span>
      </Banner>
    );
  }
  if (failure?.kind === 'unreachable') {
    return (
      <Banner icon={ALERT} kind="danger" role="alert" title={t('unreachableTitle')}>
        {t('unreachable')}
      </Banner>
    );
  }
  if (failure?.kind === 'loggedOut') {
    return (
      <Banner icon={ALERT} role="alert" title={t('loggedOutTitle')}>
        {t('loggedOut')} <a href={createLogInAddress(location, 'ended')}>{t('logIn')}</a>
      </Banner>
    );
  }
  if (failure?.kind !== 'refused' || explained.includes(failure.code)) return null;
  return (
    <Banner icon={ALERT} kind="danger" role="alert" title={t('refusedTitle')}>
      <span lang="en">{failure.description}</span>
    </Banner>
  );
}
