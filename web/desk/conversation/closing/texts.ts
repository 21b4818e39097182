import type { Dictionary } from '../../../shared/texts/texts.ts';

const en = {
  closedToast: 'Conversation with {name} closed',
  undo: 'Undo',
  notClosed: 'The conversation was not closed.',
} as const;

/** Of what goes on when the conversation is not in sight any more. */
export const closingTexts: Dictionary<typeof en> = {
  en,
  de: {
    closedToast: 'Gespräch mit {name} beendet',
    undo: 'Rückgängig',
    notClosed: 'Das Gespräch wurde nicht beendet.',
  },
  es: {
    closedToast: 'Conversación con {name} cerrada',
    undo: 'Deshacer',
    notClosed: 'La conversación no se ha cerrado.',
  },
  fr: {
    closedToast: 'Conversation avec {name} fermée',
    undo: 'Annuler',
    notClosed: 'La conversation n’a pas été fermée.',
  },
};
