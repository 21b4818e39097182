import type { Session } from '../../shared/api/session.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { DeskMain } from './DeskMain.tsx';
import { useRoute } from './navigation.ts';
import { Region } from './Region.tsx';
import { frameTexts } from './texts.ts';

/** The bar at the top, the rail, and what stands beside it. On a phone one of them at a time. */
export function DeskFrame(_props: { readonly session: Session }) {
  const t = useTexts(frameTexts);
  const route = useRoute();
  const hasVisitor = route.view === 'conversation';
  return (
    <div className="desk" data-view={route.view} data-visitor={hasVisitor ? '' : undefined}>
      <header className="bar">
        <Region name="header" />
      </header>
      <main className="desk-main">
        <h1 className="visually-hidden">{t('desk')}</h1>
        <nav className="rail" aria-label={t('conversations')}>
          <Region name="rail" />
        </nav>
        <DeskMain route={route} />
      </main>
    </div>
  );
}
