import type { TextsLike } from '../../shared/texts/texts.ts';
import type { en } from './en.ts';

export const de: TextsLike<typeof en> = {
  title: 'Passwort festlegen',
  forWhom: 'Für {name}. Der Link gilt einmal, bis {time}.',
  email: 'E-Mail',
  newPassword: 'Neues Passwort',
  save: 'Passwort speichern',
  endsSessions: 'Damit werden Sie überall abgemeldet, wo Sie angemeldet sind.',
  invalidTitle: 'Dieser Link gilt nicht mehr',
  invalid:
    'Er wurde schon verwendet, ist älter als 24 Stunden oder wurde durch einen neueren ersetzt. Bitten Sie die Person, die ihn geschickt hat, um einen neuen Link.',
  missing: 'Öffnen Sie den ganzen Link, den Sie erhalten haben: Hier fehlt ein Teil davon.',
  logIn: 'Anmelden',
  doneTitle: 'Ihr Passwort ist gespeichert',
  done: 'Melden Sie sich jetzt damit an.',
};
