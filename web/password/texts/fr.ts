import type { TextsLike } from '../../shared/texts/texts.ts';
import type { en } from './en.ts';

export const fr: TextsLike<typeof en> = {
  title: 'Choisissez votre mot de passe',
  forWhom: 'Pour {name}. Le lien sert une seule fois, jusqu’au {time}.',
  email: 'E-mail',
  newPassword: 'Nouveau mot de passe',
  save: 'Enregistrer le mot de passe',
  endsSessions: 'L’enregistrer vous déconnecte partout où vous êtes connecté.',
  invalidTitle: 'Ce lien n’est plus valable',
  invalid:
    'Il a déjà servi, date de plus de 24 heures ou a été remplacé par un autre. Demandez un nouveau lien à la personne qui vous l’a envoyé.',
  missing: 'Ouvrez le lien entier que vous avez reçu : il en manque une partie ici.',
  logIn: 'Se connecter',
  doneTitle: 'Votre mot de passe est enregistré',
  done: 'Connectez-vous avec lui maintenant.',
};
