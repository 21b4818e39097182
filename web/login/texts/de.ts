import type { TextsLike } from '../../shared/texts/texts.ts';
import type { en } from './en.ts';

export const de: TextsLike<typeof en> = {
  logIn: 'Anmelden',
  welcome: 'Willkommen zurück bei {name}.',
  email: 'E-Mail',
  password: 'Passwort',
  emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein.',
  passwordMissing: 'Geben Sie Ihr Passwort ein.',
  wrongPassword: 'E-Mail oder Passwort ist nicht richtig.',
  limitedTitle: 'Zu viele Versuche.',
  limited: 'Versuchen Sie es in {time} erneut, oder bitten Sie Ihre Leitung um einen neuen Link.',
  tryAgainIn: 'Erneut versuchen in {time}',
  forgotPassword: 'Passwort vergessen? Bitten Sie Ihre Leitung um einen neuen Link.',
  refusedTitle: 'Der Server hat die Anmeldung abgelehnt.',
  sessionEndedTitle: 'Ihre Sitzung ist beendet.',
  sessionEnded: 'Melden Sie sich an, um dort weiterzumachen, wo Sie waren.',
};
