import type { TextsLike } from '../../../shared/texts/texts.ts';
import type { en } from './en.ts';

export const fr: TextsLike<typeof en> = {
  desk: 'Poste',
  conversations: 'Conversations',
  conversation: 'Conversation',
  visitor: 'Visiteur',
  messagesLeft: 'Messages laissés',
  settings: 'Réglages',
};
