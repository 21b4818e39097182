import { useLaterPart } from '../../shared/page/useLaterPart.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { Later } from '../later/Later.tsx';
import { LaterSkeleton } from '../later/LaterSkeleton.tsx';
import { conversationPart, extrasPart } from '../later/parts.ts';
import { NothingOpen } from './NothingOpen.tsx';
import { navigate } from './navigation.ts';
import type { DeskRoute } from './route.ts';
import { frameTexts } from './texts.ts';
import { useGoOn } from './useGoOn.ts';
import { ViewBoundary } from './ViewBoundary.tsx';
import { VisitorSide } from './VisitorSide.tsx';

/** What the address names: a conversation with its visitor, the messages left, the settings. */
export function DeskMain({ route }: { readonly route: DeskRoute }) {
  const t = useTexts(frameTexts);
  const goOn = useGoOn();
  switch (route.view) {
    case 'conversation':
      return (
        <>
          <section className="desk-content" aria-label={t('conversation')}>
            <ViewBoundary view="conversation" key={route.conversationId}>
              <Later part={conversationPart}>
                {({ ConversationView }) => (
                  <ConversationView
                    conversationId={route.conversationId}
                    onBack={() => navigate({ view: 'list' })}
                    onTransferred={() => goOn(route.conversationId)}
                    onShowVisitor={() => navigate({ ...route, isVisitorShown: true })}
                  />
                )}
              </Later>
            </ViewBoundary>
          </section>
          <VisitorSide route={route}>
            <ViewBoundary view="visitor" key={route.conversationId}>
              <Visitor conversationId={route.conversationId} />
            </ViewBoundary>
          </VisitorSide>
        </>
      );
    case 'messagesLeft':
      return (
        <section className="desk-content" aria-label={t('messagesLeft')}>
          <ViewBoundary view="messages left">
            <Later part={extrasPart}>{({ MessagesLeftView }) => <MessagesLeftView />}</Later>
          </ViewBoundary>
        </section>
      );
    case 'settings':
      return (
        <section className="desk-content" aria-label={t('settings')}>
          <ViewBoundary view="settings">
            <Later part={extrasPart}>{({ SettingsView }) => <SettingsView />}</Later>
          </ViewBoundary>
        </section>
      );
    case 'list':
      return (
        <section className="desk-content" aria-label={t('conversation')}>
          <NothingOpen />
        </section>
      );
  }
}

/** If it does not arrive, the conversation beside it says so. */
function Visitor({ conversationId }: { readonly conversationId: string }) {
  const { module, hasFailed } = useLaterPart(conversationPart);
  if (module === undefined) return hasFailed ? null : <LaterSkeleton />;
  return <module.VisitorPanel conversationId={conversationId} />;
}
