import { useDesk } from '../DeskContext.tsx';
import { OpenConversation, type OpenConversationProps } from './OpenConversation.tsx';

/** A conversation with everything that an operator does in it; inside of a `ConversationMemory`. */
export function ConversationView({ conversationId, ...callbacks }: OpenConversationProps) {
  const isThere = useDesk((state) => state.conversations.has(conversationId));
  return (
    <div className="conversation">
      {/* Another conversation has its own draft, scroll position and dialogs. */}
      {isThere && <OpenConversation key={conversationId} conversationId={conversationId} {...callbacks} />}
    </div>
  );
}
