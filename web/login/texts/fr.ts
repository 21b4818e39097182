import type { TextsLike } from '../../shared/texts/texts.ts';
import type { en } from './en.ts';

export const fr: TextsLike<typeof en> = {
  logIn: 'Se connecter',
  welcome: 'Heureux de vous revoir chez {name}.',
  email: 'E-mail',
  password: 'Mot de passe',
  emailMissing: 'Saisissez votre adresse e-mail.',
  passwordMissing: 'Saisissez votre mot de passe.',
  wrongPassword: 'L’e-mail ou le mot de passe est incorrect.',
  limitedTitle: 'Trop de tentatives.',
  limited: 'Réessayez dans {time} ou demandez un nouveau lien à un responsable.',
  tryAgainIn: 'Réessayer dans {time}',
  forgotPassword: 'Mot de passe oublié ? Demandez un nouveau lien à un responsable.',
  refusedTitle: 'Le serveur a refusé la connexion.',
  sessionEndedTitle: 'Votre session est terminée.',
  sessionEnded: 'Connectez-vous pour reprendre où vous en étiez.',
};
