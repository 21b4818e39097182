import { Banner } from '../../shared/components/Banner.tsx';
import { Button } from '../../shared/components/Button.tsx';
import { useNow } from '../../shared/format/useNow.ts';
import { useLanguage, useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import { POWER, WIFI_OFF } from '../icons.ts';
import { selectMine } from '../state/select-conversations.ts';
import { frameTexts } from './texts.ts';
import { useReport } from './useReport.ts';

/** A connection is often back at once. */
const QUIET_MS = 2000;

/** Under the header: the loss of the connection, and that someone else took the viewer offline. Nothing is blocked. */
export function DeskBanners() {
  const connection = useDesk((state) => state.connection);
  const takenOffline = useDesk((state) => state.viewer.live.takenOffline);
  return (
    <div className="desk-banners">
      {connection.kind === 'lost' && <ReconnectingBanner since={connection.since} />}
      {connection.kind !== 'lost' && takenOffline !== null && <TakenOfflineBanner {...takenOffline} />}
    </div>
  );
}

function ReconnectingBanner({ since }: { readonly since: number }) {
  const t = useTexts(frameTexts);
  const now = useNow(250);
  return (
    <div role="status">
      {now - since >= QUIET_MS && (
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
  const mine = useDesk(selectMine);
  const { connect } = useDeskActions();
  const report = useReport();
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(at));
  const title = by.name === null ? t('takenOffline', { time }) : t('takenOfflineBy', { name: by.name, time });
  return (
    <Banner
      icon={POWER}
      role="alert"
      isInset={false}
      title={reason === null ? title : `${title} (${reason})`}
      action={
        <Button kind="primary" size="small" onPress={() => report(connect())}>
          {t('connectAgain')}
        </Button>
      }
    >
      {mine.length > 0 ? t('takenOfflineMine', { count: mine.length }) : t('takenOfflineNone')}
    </Banner>
  );
}
