import { useEffect, useState } from 'react';
import { Banner } from '../../shared/components/Banner.tsx';
import { Button } from '../../shared/components/Button.tsx';
import { formatCountdown } from '../../shared/format/countdown.ts';
import { useSecondsLeft } from '../../shared/format/useSecondsLeft.ts';
import { useLanguage, useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import { POWER, WIFI_OFF } from '../icons.ts';
import { selectMine } from '../state/select-conversations.ts';
import { toLocalTime } from '../state/server-time.ts';
import { describeConsequence, REQUEUE_AFTER_MS, TIME_PLACE } from './offline-consequence.ts';
import { SwitchedOffBanner } from './presence/SwitchedOffBanner.tsx';
import { frameTexts } from './texts.ts';
import { useReport } from './useReport.ts';

/** A connection is often back at once. */
const QUIET_MS = 2000;

/** Under the header: the loss of the connection, and that the viewer or a channel is off although the desk is open. */
export function DeskBanners() {
  const kind = useDesk((state) => state.connection.kind);
  const isConnected = useDesk((state) => state.viewer.live.connected);
  const takenOffline = useDesk((state) => state.viewer.live.takenOffline);
  if (kind === 'lost') return <ReconnectingBanner />;
  if (takenOffline !== null) return <TakenOfflineBanner {...takenOffline} />;
  return kind === 'live' && !isConnected ? <OfflineBanner /> : <SwitchedOffBanner />;
}

function ReconnectingBanner() {
  const t = useTexts(frameTexts);
  const isShown = useIsLongerThan(QUIET_MS);
  return (
    <div role="status">
      {isShown && (
        <Banner icon={WIFI_OFF} isInset={false}>
          {t('reconnectingHint')}
        </Banner>
      )}
    </div>
  );
}

interface TakenOfflineProps {
  readonly by: { readonly name: string | null };
  readonly at: string;
}

function TakenOfflineBanner({ by, at }: TakenOfflineProps) {
  const t = useTexts(frameTexts);
  const { locale } = useLanguage();
  const clockOffset = useDesk((state) => state.clockOffset);
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(at));
  const title = by.name === null ? t('takenOffline', { time }) : t('takenOfflineBy', { name: by.name, time });
  return <WayBack title={title} requeuedAt={toLocalTime(at, clockOffset) + REQUEUE_AFTER_MS} />;
}

/** The service took the viewer offline by itself, for example because the computer slept. */
function OfflineBanner() {
  const t = useTexts(frameTexts);
  return useIsLongerThan(QUIET_MS) && <WayBack title={t('offlineNow')} />;
}

interface WayBackProps {
  readonly title: string;
  /** When the conversations go back to the queue, if that is known. */
  readonly requeuedAt?: number;
}

function WayBack({ title, requeuedAt }: WayBackProps) {
  const t = useTexts(frameTexts);
  const count = useDesk(selectMine).length;
  const secondsLeft = useSecondsLeft(count > 0 ? requeuedAt : undefined);
  const { connect } = useDeskActions();
  const report = useReport();
  return (
    <Banner
      icon={POWER}
      role="alert"
      isInset={false}
      title={title}
      action={
        <Button kind="primary" size="small" onPress={() => report(connect())}>
          {t('connectAgain')}
        </Button>
      }
    >
      <Consequence text={describeConsequence(count, secondsLeft, t)} secondsLeft={secondsLeft} />
    </Banner>
  );
}

/** The time is not read again every second. */
function Consequence({ text, secondsLeft }: { readonly text: string; readonly secondsLeft: number }) {
  const [before, after] = text.split(TIME_PLACE);
  if (after === undefined) return text;
  return (
    <>
      {before}
      <span role="timer">{formatCountdown(secondsLeft)}</span>
      {after}
    </>
  );
}

/** What is over at once is not worth a word. */
function useIsLongerThan(milliseconds: number): boolean {
  const [isLonger, setLonger] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLonger(true), milliseconds);
    return () => clearTimeout(timer);
  }, [milliseconds]);
  return isLonger;
}
