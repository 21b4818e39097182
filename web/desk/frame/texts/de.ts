import type { TextsLike } from '../../../shared/texts/texts.ts';
import type { en } from './en.ts';

export const de: TextsLike<typeof en> = {
  desk: 'Desk',
  conversations: 'Gespräche',
  conversation: 'Gespräch',
  visitor: 'Besucher',
  messagesLeft: 'Hinterlassene Nachrichten',
  settings: 'Einstellungen',
};
