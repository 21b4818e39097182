import type { Dictionary } from '../shared/texts/texts.ts';

const en = {
  title: 'Desk',
  welcome: 'Welcome, {name}',
  introduction: 'You are logged in. The desk, where you answer conversations, is not part of this version yet.',
  account: 'Your account',
  accountHint: 'Password, two-factor authentication, sessions, language and theme.',
  developers: 'For developers',
  developersHint: 'The interfaces with which programs use Switchboard.',
} as const;

export const deskTexts: Dictionary<typeof en> = {
  en,
  de: {
    title: 'Desk',
    welcome: 'Willkommen, {name}',
    introduction: 'Sie sind angemeldet. Der Desk, an dem Sie Gespräche führen, gehört noch nicht zu dieser Version.',
    account: 'Ihr Konto',
    accountHint: 'Passwort, Zwei-Faktor-Anmeldung, Sitzungen, Sprache und Design.',
    developers: 'Für Entwickler',
    developersHint: 'Die Schnittstellen, mit denen Programme Switchboard verwenden.',
  },
  es: {
    title: 'Puesto',
    welcome: 'Hola, {name}',
    introduction:
      'Ha iniciado sesión. El puesto en el que se atienden las conversaciones aún no forma parte de esta versión.',
    account: 'Su cuenta',
    accountHint: 'Contraseña, segundo factor, sesiones, idioma y tema.',
    developers: 'Para desarrolladores',
    developersHint: 'Las interfaces con las que los programas usan Switchboard.',
  },
  fr: {
    title: 'Poste',
    welcome: 'Bienvenue, {name}',
    introduction:
      'Vous êtes connecté. Le poste où l’on répond aux conversations ne fait pas encore partie de cette version.',
    account: 'Votre compte',
    accountHint: 'Mot de passe, second facteur, sessions, langue et thème.',
    developers: 'Pour les développeurs',
    developersHint: 'Les interfaces avec lesquelles des programmes utilisent Switchboard.',
  },
};
