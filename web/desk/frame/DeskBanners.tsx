import { useEffect, useState } from 'react';
import { Banner } from '../../shared/components/Banner.tsx';
import { Button } from '../../shared/components/Button.tsx';
import { useLanguage, useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import { POWER, WIFI_OFF } from '../icons.ts';
import { selectMine } from '../state/select-conversations.ts';
import { frameTexts } from './texts.ts';
import { useReport } from './useReport.ts';

/** A connection is often back at once. */
const QUIET_MS = 2000;

/** Under the header: the loss of the connection, and that the viewer is offline although the desk is open. */
export function DeskBanners() {
  const kind = useDesk((state) => state.connection.kind);
  const isConnected = useDesk((state) => state.viewer.live.connected);
  const takenOffline = useDesk((state) => state.viewer.live.takenOffline);
  if (kind === 'lost') return <ReconnectingBanner />;
  if (takenOffline !== null) return <TakenOfflineBanner {...takenOffline} />;
  return kind === 'live' && !isConnected ? <OfflineBanner /> : null;
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
  readonly reason: string | null;
}

function TakenOfflineBanner({ by, at, reason }: TakenOfflineProps) {
  const t = useTexts(frameTexts);
  const { locale } = useLanguage();
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(at));
  const title = by.name === null ? t('takenOffline', { time }) : t('takenOfflineBy', { name: by.name, time });
  return <WayBack title={reason === null ? title : `${title} (${reason})`} />;
}

/** The service took the viewer offline by itself, for example because the computer slept. */
function OfflineBanner() {
  const t = useTexts(frameTexts);
  return useIsLongerThan(QUIET_MS) && <WayBack title={t('offlineNow')} />;
}

function WayBack({ title }: { readonly title: string }) {
  const t = useTexts(frameTexts);
  const count = useDesk(selectMine).length;
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
      {count > 0 ? t('takenOfflineMine', { count }) : t('takenOfflineNone')}
    </Banner>
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
