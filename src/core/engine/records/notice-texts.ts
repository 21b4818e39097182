import type { AdminLanguage } from '../../kernel/languages.ts';

/** The parameters of each notice. All are text, and may be missing in a stored notice. */
export interface NoticeParameters {
  /** Without `pseudo` if the operator has none. */
  readonly operator_joined: { readonly pseudo?: string };
  /** The operator lost the connection. */
  readonly operator_away: object;
  readonly operator_back: object;
  /** The operator did not come back, or was deleted. */
  readonly operator_left: object;
  readonly transferred: object;
  readonly visitor_left: object;
  /** Minutes until the conversation is closed. */
  readonly idle_warning: { readonly minutes?: string };
  readonly idle: object;
  readonly nobody_could_serve: object;
  readonly messages_erased: object;
}

export type NoticeCode = keyof NoticeParameters;

type NoticeTexts = { readonly [Code in NoticeCode]: string | ((parameters: NoticeParameters[Code]) => string) };

/** What each notice says, to the visitor and to the operator. */
export const NOTICE_TEXTS: Readonly<Record<AdminLanguage, NoticeTexts>> = {
  en: {
    operator_joined: ({ pseudo = 'An operator' }) => `${pseudo} joined the conversation.`,
    operator_away: 'The operator lost the connection. Please wait a moment.',
    operator_back: 'The operator is back.',
    operator_left: 'The operator did not come back. You are next in line for another operator.',
    transferred: 'The conversation is being transferred to another operator.',
    visitor_left: 'The visitor left. The conversation was closed.',
    idle_warning: ({ minutes = 'a few' }) =>
      `Without a new message, the conversation will be closed in ${minutes} min.`,
    idle: 'The conversation was closed because there were no new messages.',
    nobody_could_serve: 'No operator can take this conversation any more. It was closed.',
    messages_erased: 'The messages in this conversation were removed on request.',
  },
  de: {
    operator_joined: ({ pseudo = 'Ein Mitarbeiter' }) => `${pseudo} ist der Unterhaltung beigetreten.`,
    operator_away: 'Die Verbindung zum Mitarbeiter ist unterbrochen. Bitte warten Sie einen Moment.',
    operator_back: 'Der Mitarbeiter ist wieder da.',
    operator_left:
      'Der Mitarbeiter ist nicht zurückgekommen. Ein anderer Mitarbeiter kümmert sich als Nächstes um Sie.',
    transferred: 'Die Unterhaltung wird an einen anderen Mitarbeiter übergeben.',
    visitor_left: 'Der Besucher ist gegangen. Die Unterhaltung wurde beendet.',
    idle_warning: ({ minutes = 'einigen' }) => `Ohne neue Nachricht wird die Unterhaltung in ${minutes} Min. beendet.`,
    idle: 'Die Unterhaltung wurde beendet, weil keine neuen Nachrichten kamen.',
    nobody_could_serve: 'Kein Mitarbeiter kann diese Unterhaltung mehr übernehmen. Sie wurde beendet.',
    messages_erased: 'Die Nachrichten dieser Unterhaltung wurden auf Wunsch entfernt.',
  },
  es: {
    operator_joined: ({ pseudo = 'Un agente' }) => `${pseudo} se ha unido a la conversación.`,
    operator_away: 'El agente ha perdido la conexión. Espere un momento, por favor.',
    operator_back: 'El agente ha vuelto.',
    operator_left: 'El agente no ha vuelto. Usted es el siguiente para otro agente.',
    transferred: 'La conversación se está transfiriendo a otro agente.',
    visitor_left: 'El visitante se ha ido. La conversación se ha cerrado.',
    idle_warning: ({ minutes = 'unos' }) => `Si no hay mensajes nuevos, la conversación se cerrará en ${minutes} min.`,
    idle: 'La conversación se ha cerrado porque no había mensajes nuevos.',
    nobody_could_serve: 'Ningún agente puede atender ya esta conversación. Se ha cerrado.',
    messages_erased: 'Los mensajes de esta conversación se han eliminado a petición.',
  },
  fr: {
    operator_joined: ({ pseudo = 'Un conseiller' }) => `${pseudo} a rejoint la conversation.`,
    operator_away: 'Le conseiller a perdu la connexion. Veuillez patienter un instant.',
    operator_back: 'Le conseiller est de retour.',
    operator_left: "Le conseiller n'est pas revenu. Vous êtes le prochain pour un autre conseiller.",
    transferred: 'La conversation est transférée à un autre conseiller.',
    visitor_left: 'Le visiteur est parti. La conversation a été fermée.',
    idle_warning: ({ minutes = 'quelques' }) =>
      `Sans nouveau message, la conversation sera fermée dans ${minutes} min.`,
    idle: "La conversation a été fermée, faute d'un nouveau message.",
    nobody_could_serve: 'Aucun conseiller ne peut plus prendre cette conversation. Elle a été fermée.',
    messages_erased: 'Les messages de cette conversation ont été supprimés sur demande.',
  },
};

/** The sentences that earlier versions stored without a code. */
export const OLD_NOTICE_SENTENCES: ReadonlyMap<string, NoticeCode> = new Map([
  ['The operator lost the connection. Please wait a moment.', 'operator_away'],
  ['The operator is back.', 'operator_back'],
  ['The operator did not come back. You are next in line for another operator.', 'operator_left'],
  ['The messages in this conversation were removed on request.', 'messages_erased'],
]);
