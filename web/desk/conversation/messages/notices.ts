import type { Language } from '../../../shared/texts/language.ts';
import type { Dictionary } from '../../../shared/texts/texts.ts';
import { createTranslate } from '../../../shared/texts/texts.ts';
import type { Message } from '../../state/model.ts';

const en = {
  operator_joined: '{pseudo} joined',
  operator_joined_own: 'You joined',
  operator_joined_unnamed: 'An operator joined',
  operator_away: 'The operator lost the connection',
  operator_back: 'The operator is back',
  operator_left: 'The operator did not come back · waits for another operator',
  operator_left_own: 'You did not come back in time · waits for another operator',
  transferred: 'Transferred to another operator',
  visitor_left: 'The visitor left · conversation closed',
  idle_warning: 'Closes in {minutes} min without a new message',
  idle: 'Closed, because there were no new messages',
  nobody_could_serve: 'Closed, because no operator can take it any more',
  messages_erased: 'The messages were removed on request',
} as const;

/** The notices of the service as operators read them: short, and about the visitor in the third person. */
export const noticeTexts: Dictionary<typeof en> = {
  en,
  de: {
    operator_joined: '{pseudo} ist beigetreten',
    operator_joined_own: 'Sie sind beigetreten',
    operator_joined_unnamed: 'Ein Mitarbeiter ist beigetreten',
    operator_away: 'Verbindung zum Mitarbeiter unterbrochen',
    operator_back: 'Der Mitarbeiter ist wieder da',
    operator_left: 'Der Mitarbeiter kam nicht zurück · wartet auf einen anderen Mitarbeiter',
    operator_left_own: 'Sie kamen nicht rechtzeitig zurück · wartet auf einen anderen Mitarbeiter',
    transferred: 'An einen anderen Mitarbeiter übergeben',
    visitor_left: 'Der Besucher ist gegangen · Gespräch beendet',
    idle_warning: 'Wird ohne neue Nachricht in {minutes} Min. beendet',
    idle: 'Beendet, weil keine neuen Nachrichten kamen',
    nobody_could_serve: 'Beendet, weil kein Mitarbeiter das Gespräch mehr übernehmen kann',
    messages_erased: 'Die Nachrichten wurden auf Wunsch entfernt',
  },
  es: {
    operator_joined: '{pseudo} se ha unido',
    operator_joined_own: 'Usted se ha unido',
    operator_joined_unnamed: 'Se ha unido un agente',
    operator_away: 'El agente ha perdido la conexión',
    operator_back: 'El agente ha vuelto',
    operator_left: 'El agente no ha vuelto · espera a otro agente',
    operator_left_own: 'Usted no ha vuelto a tiempo · espera a otro agente',
    transferred: 'Transferida a otro agente',
    visitor_left: 'El visitante se ha ido · conversación cerrada',
    idle_warning: 'Se cerrará en {minutes} min si no hay mensajes nuevos',
    idle: 'Cerrada porque no había mensajes nuevos',
    nobody_could_serve: 'Cerrada porque ya ningún agente puede atenderla',
    messages_erased: 'Los mensajes se han eliminado a petición',
  },
  fr: {
    operator_joined: '{pseudo} a rejoint la conversation',
    operator_joined_own: 'Vous avez rejoint la conversation',
    operator_joined_unnamed: 'Un conseiller a rejoint la conversation',
    operator_away: 'Le conseiller a perdu la connexion',
    operator_back: 'Le conseiller est de retour',
    operator_left: 'Le conseiller n’est pas revenu · en attente d’un autre conseiller',
    operator_left_own: 'Vous n’êtes pas revenu à temps · en attente d’un autre conseiller',
    transferred: 'Transférée à un autre conseiller',
    visitor_left: 'Le visiteur est parti · conversation fermée',
    idle_warning: 'Fermeture dans {minutes} min sans nouveau message',
    idle: 'Fermée faute de nouveau message',
    nobody_could_serve: 'Fermée, car aucun conseiller ne peut plus la prendre',
    messages_erased: 'Les messages ont été supprimés sur demande',
  },
};

interface Reader {
  readonly language: Language;
  /** The name under which visitors know the reader. */
  readonly pseudo: string;
}

/** What a notice says to an operator. A newer service may send other codes: then its own sentence has to do. */
export function renderNotice({ notice, text }: Pick<Message, 'notice' | 'text'>, reader: Reader): string {
  if (notice === null || !Object.hasOwn(en, notice.code)) return text;
  const t = createTranslate(noticeTexts, reader.language);
  const parameters = Object.fromEntries(notice.parameters.map(({ name, value }) => [name, value]));
  if (notice.code === 'operator_joined') {
    const { pseudo } = parameters;
    if (!pseudo) return t('operator_joined_unnamed');
    return pseudo === reader.pseudo ? t('operator_joined_own') : t('operator_joined', { pseudo });
  }
  if (notice.code === 'idle_warning') return t('idle_warning', { minutes: parameters.minutes ?? '…' });
  return t(notice.code as Exclude<keyof typeof en, 'operator_joined' | 'idle_warning'>);
}
