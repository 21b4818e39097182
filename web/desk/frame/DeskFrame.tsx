import { useEffect, useState } from 'react';
import type { Session } from '../../shared/api/session.ts';
import { loadInTurn } from '../../shared/page/later-part.ts';
import { untilIdle } from '../../shared/page/until-idle.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { conversationPart, extrasPart } from '../later/parts.ts';
import { OfferStrip } from '../rail/OfferStrip.tsx';
import { OfferAnnouncer } from '../rail/Offers.tsx';
import { Rail } from '../rail/Rail.tsx';
import { PageTitle } from './alerts/PageTitle.tsx';
import { useAlerts } from './alerts/useAlerts.ts';
import { DeskBanners } from './DeskBanners.tsx';
import { DeskHeader } from './DeskHeader.tsx';
import { DeskMain } from './DeskMain.tsx';
import { useIgnoredFileDrops } from './file-drops.ts';
import { useRoute } from './navigation.ts';
import { PhonePickup } from './PhonePickup.tsx';
import { ShortcutsDialog } from './ShortcutsDialog.tsx';
import { frameTexts } from './texts.ts';
import { useDeskShortcuts } from './useDeskShortcuts.ts';
import { useLosses } from './useLosses.ts';
import { usePreferences } from './usePreferences.ts';
import { useRailFocus } from './useRailFocus.ts';
import { ViewBoundary } from './ViewBoundary.tsx';

/** The bar at the top, the rail, and what stands beside it. On a phone one of them at a time. */
export function DeskFrame({ session }: { readonly session: Session }) {
  const t = useTexts(frameTexts);
  const route = useRoute();
  const [filter, setFilter] = useState('');
  const [hasShortcutsOpen, setShortcutsOpen] = useState(false);
  const hasShortcut = useDesk((state) => state.viewer.preferences.singleKeyShortcuts);
  const showShortcuts = () => setShortcutsOpen(true);
  const search = { value: filter, onChange: setFilter, hasShortcut };
  usePreferences();
  useAlerts();
  useLosses();
  useIgnoredFileDrops();
  useLaterParts();
  useDeskShortcuts(route, showShortcuts);
  useRailFocus(route);
  return (
    <div className="desk" data-view={route.view} data-visitor={route.view === 'conversation' ? '' : undefined}>
      <ViewBoundary view="header">
        <DeskHeader session={session} search={search} onShowShortcuts={showShortcuts} />
      </ViewBoundary>
      <div className="desk-banners">
        <ViewBoundary view="banners">
          <DeskBanners />
          {route.view !== 'list' && <OfferStrip />}
        </ViewBoundary>
      </div>
      <main className="desk-main">
        <h1 className="visually-hidden">{t('desk')}</h1>
        <ViewBoundary view="rail">
          <Rail route={route} search={search} />
        </ViewBoundary>
        <DeskMain route={route} />
      </main>
      <PageTitle route={route} />
      <OfferAnnouncer />
      <PhonePickup />
      {hasShortcutsOpen && <ShortcutsDialog onClose={() => setShortcutsOpen(false)} />}
    </div>
  );
}

/** What was not needed for the first view comes now, so that no one waits for it. */
function useLaterParts(): void {
  useEffect(() => {
    const end = new AbortController();
    loadInTurn([conversationPart, extrasPart], untilIdle, end.signal);
    return () => end.abort();
  }, []);
}
