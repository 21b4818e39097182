import type { Dictionary } from './dictionary.ts';

export const fr: Dictionary = {
  words: {
    greeting: 'bonjour salut bonsoir coucou hello',
    thanks: 'merci merci_beaucoup super parfait génial',
    goodbye: 'au_revoir à_bientôt a_bientot bonne_journée bonne_soirée ciao adieu c’est_tout non_merci rien_d’autre',
    order: 'ma_commande mon_colis numéro_de_commande suivi où_est ou_est',
    delivery: 'livr* expédi* envoi* arrive* délai* combien_de_temps frais_de_port',
    returns: 'retour* renvoy* rembours* échang* rendre',
    size: 'taille* pointure* mesure* grand petit',
    price: 'prix coûte* coute* combien cher chère tarif* réduction* promo* remise*',
    stock: 'stock disponib* rupture en_reste il_reste avez-vous vous_avez',
    repair: 'répar* cassé* déchiré* abîmé* garantie défaut* défectu*',
    payment: 'payer paie* paiement* facture* carte paypal klarna',
    identity: 'bot robot humain* vraie_personne qui_êtes-vous qui_es-tu demo démo',
  },
  products: {
    pack: 'sac sacs sac_à_dos',
    jacket: 'veste* blouson* manteau',
    boots: 'botte* bottine* chaussure*',
  },
  no: 'non',
  common:
    'le la les est sont un une mon ma que quel quelle de et avec pour comment je vous est-ce puis avez il y a ne pas',
  answers: {
    order: [
      'Je regarde volontiers. Pouvez-vous m’envoyer le numéro de commande ? Il commence par H et figure dans la confirmation.',
      'Elle a quitté notre entrepôt ce matin et devrait arriver dans deux jours. Le lien de suivi est dans votre e-mail.',
    ],
    delivery: [
      'Nous livrons en 2 à 3 jours dans l’UE, gratuitement à partir de 80 €. En dessous, c’est 4,90 €.',
      'Ce qui est commandé avant 14 h part le jour même. Vous recevez le lien de suivi par e-mail.',
    ],
    returns: [
      'Vous avez 60 jours pour le retourner, même après l’avoir porté une fois dehors. L’étiquette est dans le colis et le retour est gratuit.',
      'Dès que nous l’avons reçu, vous êtes remboursé sous 3 jours. Un échange part le jour même.',
    ],
    size: [
      '{product} existe en {sizes}. Il taille normalement ; entre deux tailles, prenez la plus grande.',
      'Si vous me dites votre taille habituelle, je vous dirai ce que d’autres clients ont choisi.',
    ],
    price: [
      '{product} coûte {price}, livraison comprise.',
      'Il n’y a pas de remise sur {product} en ce moment, mais les réparations sont gratuites aussi longtemps que vous l’utilisez.',
    ],
    stock: [
      'Oui, nous avons {stock} exemplaires de {product} ici, il peut partir aujourd’hui.',
      'Je viens de vérifier encore une fois : {stock} exemplaires de {product} sont en rayon.',
    ],
    repair: [
      'Nous réparons ce que nous vendons, gratuitement et aussi longtemps que vous l’utilisez. Pouvez-vous m’envoyer une photo du dommage ? Le trombone ci-dessous joint un fichier.',
      'Envoyez-le avec un mot sur ce qui ne va pas. La plupart des réparations reviennent sous deux semaines.',
    ],
    payment: [
      'Vous pouvez payer par carte, PayPal, virement ou facture.',
      'La facture arrive par e-mail avec la livraison, et vous avez 30 jours pour la régler.',
    ],
    identity: [
      'En toute franchise : je suis une personne jouée de la démo Switchboard et je connais un peu cette boutique inventée. Connectez-vous comme opérateur, rendez-vous disponible, et le prochain chat est pour vous.',
      'Un petit programme avec un nom, je le crains. Livraison, retours, tailles, prix et stock sont ce que je connais le mieux.',
    ],
  },
  catalogue: {
    price: 'Voici nos prix : {list}.',
    stock: 'Les trois sont là : {list}. Auquel pensez-vous ?',
    size: 'Nos tailles : {list}. Auquel pensez-vous ?',
  },
  hello: 'Bonjour, ici {pseudo}.',
  helloName: 'Bonjour {visitor}, ici {pseudo}.',
  ask: 'Que puis-je faire pour vous ?',
  image: 'Merci pour la photo, je la vois bien. Que voulez-vous savoir ?',
  file: 'Merci, j’ai bien reçu le fichier et je le regarde.',
  welcome: 'Avec plaisir ! Puis-je faire autre chose pour vous ?',
  goodbye: 'Merci de votre visite. Bonne journée !',
  unclear: [
    'Pour bien vous comprendre : s’agit-il de la livraison, d’un retour, des tailles, des prix ou du stock ?',
    'Je préfère ne pas deviner. Pouvez-vous le dire autrement ?',
    'C’est plus que je n’en sais, désolé. Livraison, retours, tailles, prix et stock sont ce que je connais le mieux.',
  ],
  stillThere: 'Êtes-vous toujours là ?',
  closing: 'Je ferme notre chat pour l’instant. Écrivez-nous quand vous voulez. Bonne journée !',
};
