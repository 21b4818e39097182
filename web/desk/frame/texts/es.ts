import type { TextsLike } from '../../../shared/texts/texts.ts';
import type { en } from './en.ts';

export const es: TextsLike<typeof en> = {
  desk: 'Puesto',
  conversations: 'Conversaciones',
  conversation: 'Conversación',
  visitor: 'Visitante',
  messagesLeft: 'Mensajes dejados',
  settings: 'Ajustes',
};
