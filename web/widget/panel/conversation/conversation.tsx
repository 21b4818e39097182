import type { Chat } from '../chat.ts';
import type { ConversationPart } from '../conversation-part.ts';
import { Engine } from './engine.ts';
import { ConversationView } from './parts/ConversationView.tsx';
import { EndDialog } from './parts/EndDialog.tsx';
import { FaultBoundary } from './parts/FaultBoundary.tsx';
import { Menu } from './parts/Menu.tsx';
import { styles } from './parts/messages.css';

/** Called once, when the first conversation starts or goes on. */
export function createPart(chat: Chat): ConversationPart {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  chat.host.root.adoptedStyleSheets.push(sheet);
  const engine = new Engine(chat);
  return {
    start: (conversation) => engine.outbox.start(conversation),
    leaveMessage: (message) => engine.leaveMessage(message),
    followStored: () => engine.followStored(),
    flush: () => engine.outbox.flush(),
    send: () => engine.uploads.send(),
    addFiles: (files) => engine.uploads.add(files),
    noteTyping: () => engine.noteTyping(),
    notePage: () => engine.notePage(),
    destroy: () => engine.destroy(),
    forget: () => engine.forget(),
    View: ({ view }) => (
      <FaultBoundary key={view} chat={chat} part={view} fallback={<p class="panel-body muted">{chat.text('error')}</p>}>
        <ConversationView {...{ chat, engine, view }} />
      </FaultBoundary>
    ),
    Menu: () => <Menu chat={chat} engine={engine} />,
    Dialog: () => <EndDialog chat={chat} engine={engine} />,
  };
}
