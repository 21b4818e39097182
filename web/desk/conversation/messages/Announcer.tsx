import { useState } from 'react';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useVisitorName } from '../../frame/useVisitorName.ts';
import type { DeskConversation, Message, Viewer } from '../../state/model.ts';
import { conversationTexts } from '../texts.ts';
import { renderNotice } from './notices.ts';

interface AnnouncerProps {
  readonly conversation: Pick<DeskConversation, 'notes' | 'visitor'>;
  readonly messages: readonly Message[];
  readonly viewer: Pick<Viewer, 'id' | 'pseudo'>;
}

const MOST = 5;

/** Reads each new message of others once to a screen reader. Those that were there before are not read. */
export function Announcer({ conversation, messages, viewer }: AnnouncerProps) {
  const t = useTexts(conversationTexts);
  const nameVisitor = useVisitorName();
  const { language } = useLanguage();
  const { notes } = conversation;
  const [start] = useState({ sequence: messages.at(-1)?.sequence ?? 0, notes: new Set(notes.map(({ id }) => id)) });
  const newMessages = messages.slice(-MOST).filter((message) => message.sequence > start.sequence);
  const newNotes = notes.slice(-MOST).filter((note) => !start.notes.has(note.id) && note.operator?.id !== viewer.id);
  return (
    <div className="visually-hidden" aria-live="polite" aria-relevant="additions">
      {newMessages.map((message) => {
        if (message.author === 'NOTICE') {
          return <p key={message.sequence}>{renderNotice(message, { language, pseudo: viewer.pseudo })}</p>;
        }
        if (message.operator?.id === viewer.id) return null;
        const author =
          message.author === 'VISITOR' ? nameVisitor(conversation.visitor) : (message.operator?.pseudo ?? '');
        const files = message.attachments.map(({ name }) => name).join(', ');
        return <p key={message.sequence}>{`${author}: ${message.text} ${files}`}</p>;
      })}
      {newNotes.map((note) => (
        <p key={note.id}>{`${t('noteBy', { name: note.operator?.pseudo ?? t('operator') })}: ${note.text}`}</p>
      ))}
    </div>
  );
}
