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
          </section>
          <VisitorSide route={route}>
            <Visitor conversationId={route.conversationId} />
          </VisitorSide>
        </>
      );
    case 'messagesLeft':
      return (
        <section className="desk-content" aria-label={t('messagesLeft')}>
          <Later part={extrasPart}>{({ MessagesLeftView }) => <MessagesLeftView />}</Later>
        </section>
      );
    case 'settings':
      return (
        <section className="desk-content" aria-label={t('settings')}>
          <Later part={extrasPart}>{({ SettingsView }) => <SettingsView />}</Later>
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
