import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { ConversationView } from '../conversation/ConversationView.tsx';
import { VisitorPanel } from '../visitor-panel/VisitorPanel.tsx';
import { LaterView } from './LaterView.tsx';
import { NothingOpen } from './NothingOpen.tsx';
import { navigate } from './navigation.ts';
import type { DeskRoute } from './route.ts';
import { frameTexts } from './texts.ts';
import { useGoOn } from './useGoOn.ts';
import { VisitorSide } from './VisitorSide.tsx';

const loadMessagesLeft = async () => (await import('../messages-left/MessagesLeftView.tsx')).MessagesLeftView;

const loadSettings = async () => (await import('../settings/SettingsView.tsx')).SettingsView;

/** What the address names: a conversation with its visitor, the messages left, the settings. */
export function DeskMain({ route }: { readonly route: DeskRoute }) {
  const t = useTexts(frameTexts);
  const goOn = useGoOn();
  switch (route.view) {
    case 'conversation':
      return (
        <>
          <section className="desk-content" aria-label={t('conversation')}>
            <ConversationView
              conversationId={route.conversationId}
              onBack={() => navigate({ view: 'list' })}
              onTransferred={() => goOn(route.conversationId)}
              onShowVisitor={() => navigate({ ...route, isVisitorShown: true })}
            />
          </section>
          <VisitorSide route={route}>
            <VisitorPanel conversationId={route.conversationId} />
          </VisitorSide>
        </>
      );
    case 'messagesLeft':
      return (
        <section className="desk-content" aria-label={t('messagesLeft')}>
          <LaterView load={loadMessagesLeft} />
        </section>
      );
    case 'settings':
      return (
        <section className="desk-content" aria-label={t('settings')}>
          <LaterView load={loadSettings} />
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
