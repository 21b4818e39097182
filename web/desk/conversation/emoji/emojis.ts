import type { Language } from '../../../shared/texts/language.ts';

export interface Emoji {
  readonly character: string;
  /** Words for the search. The first one is the name. */
  readonly names: Readonly<Record<Language, string>>;
}

export interface EmojiGroup {
  readonly key: 'emojiFaces' | 'emojiHands' | 'emojiThings' | 'emojiSigns';
  readonly emojis: readonly Emoji[];
}

function list(text: string): Emoji[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [character = '', en = '', de = '', es = '', fr = ''] = line.split('|').map((part) => part.trim());
      return { character, names: { en, de, es, fr } };
    });
}

/** What people use in service conversations. */
export const EMOJI_GROUPS: readonly EmojiGroup[] = [
  {
    key: 'emojiFaces',
    emojis: list(`
      🙂|smile|lächeln|sonrisa|sourire
      😊|happy blush|glücklich froh|feliz contento|content heureux
      😀|grin|grinsen|risueño|souriant
      😄|laugh|lachen|risa|rire
      😉|wink|zwinkern|guiño|clin d’œil
      😂|tears joy laugh|Freudentränen lachen|lágrimas risa|larmes rire
      😅|relief sweat|erleichtert schwitzen|alivio sudor|soulagé sueur
      😍|love eyes|verliebt Augen|enamorado ojos|amoureux yeux
      🤗|hug|umarmen|abrazo|câlin
      🤔|thinking|nachdenken|pensar|réfléchir
      😌|calm|ruhig|calma|calme
      😎|cool sunglasses|cool Sonnenbrille|gafas sol|lunettes soleil
      😮|surprised|überrascht|sorpresa|surpris
      😕|confused|verwirrt|confuso|confus
      😔|sorry sad|bedauern traurig|pena triste|désolé triste
      😢|cry sad|weinen traurig|llorar triste|pleurer triste
      😬|awkward|unangenehm|incómodo|gêné
      🙈|monkey oops|Affe hoppla|mono vaya|singe oups
      🥳|party|feiern Party|fiesta|fête
      😴|sleep|schlafen|dormir|dormir sommeil`),
  },
  {
    key: 'emojiHands',
    emojis: list(`
      👍|thumbs up good|Daumen hoch gut|pulgar arriba bien|pouce levé bien
      👎|thumbs down bad|Daumen runter schlecht|pulgar abajo mal|pouce baissé mal
      👋|wave hello|winken hallo|saludo hola|salut bonjour
      🙏|thanks please|danke bitte|gracias favor|merci prière
      👏|applause|Applaus klatschen|aplauso|applaudir
      🤝|handshake deal|Handschlag einverstanden|apretón acuerdo|poignée main accord
      👌|okay perfect|okay perfekt|perfecto vale|parfait d’accord
      💪|strong|stark|fuerza|force
      🤞|luck fingers|Glück Daumen drücken|suerte dedos|chance doigts
      👉|right point|rechts zeigen|derecha señalar|droite montrer
      👇|down point|unten zeigen|abajo señalar|bas montrer
      🙌|hooray hands|hurra Hände|hurra manos|hourra mains`),
  },
  {
    key: 'emojiThings',
    emojis: list(`
      📦|parcel package|Paket|paquete|colis
      🚚|delivery truck|Lieferung Lastwagen|entrega camión|livraison camion
      🛒|cart shop|Einkaufswagen Shop|carrito tienda|panier boutique
      🎁|gift present|Geschenk|regalo|cadeau
      💳|card pay|Karte bezahlen|tarjeta pagar|carte payer
      💶|money euro|Geld Euro|dinero euro|argent euro
      🧾|receipt invoice|Rechnung Quittung|recibo factura|reçu facture
      📧|mail e-mail|E-Mail Post|correo|courriel e-mail
      📞|phone call|Telefon Anruf|teléfono llamada|téléphone appel
      📷|photo camera|Foto Kamera|foto cámara|photo appareil
      📎|attachment clip|Anhang Klammer|adjunto clip|pièce jointe trombone
      🔗|link|Link|enlace|lien
      🔑|key password|Schlüssel Passwort|llave contraseña|clé mot de passe
      🔍|search|suchen Lupe|buscar lupa|chercher loupe
      🔧|repair tool|Reparatur Werkzeug|reparar herramienta|réparer outil
      💡|idea|Idee|idea|idée
      📅|calendar date|Kalender Datum|calendario fecha|calendrier date
      ⏰|time clock|Zeit Uhr|hora reloj|heure réveil
      🏠|home house|Haus Zuhause|casa|maison
      ☕|coffee break|Kaffee Pause|café pausa|café pause
      🌞|sun|Sonne|sol|soleil
      🎉|celebration|Konfetti feiern|celebración fiesta|célébration fête`),
  },
  {
    key: 'emojiSigns',
    emojis: list(`
      ❤️|heart love|Herz Liebe|corazón amor|cœur amour
      ✅|done check|erledigt Haken|hecho listo|fait coche
      ❌|no wrong|nein falsch|no error|non faux
      ⚠️|warning|Warnung Achtung|aviso atención|attention avertissement
      ❓|question|Frage|pregunta|question
      ❗|important|wichtig|importante|important
      ℹ️|information|Information|información|information
      ⭐|star|Stern|estrella|étoile
      ✨|sparkles new|Glitzer neu|brillo nuevo|étincelles nouveau
      🔄|again update|erneut aktualisieren|repetir actualizar|encore actualiser
      ➡️|right arrow|rechts Pfeil|derecha flecha|droite flèche
      💬|message chat|Nachricht Chat|mensaje chat|message discussion`),
  },
];
