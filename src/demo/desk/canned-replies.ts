/** A prepared text in the languages that it exists in. */
interface PreparedText {
  readonly shortcut: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** For everyone in the account. */
export const ACCOUNT_REPLIES: readonly PreparedText[] = [
  {
    shortcut: 'hello',
    texts: {
      en: 'Hello {{visitor.firstname}}, {{operator.pseudo}} from {{website.label}} here. How can I help?',
      de: 'Guten Tag {{visitor.firstname}}, hier ist {{operator.pseudo}} von {{website.label}}. Was kann ich für Sie tun?',
      es: 'Hola {{visitor.firstname}}, soy {{operator.pseudo}} de {{website.label}}. ¿En qué puedo ayudarle?',
      fr: 'Bonjour {{visitor.firstname}}, ici {{operator.pseudo}} de {{website.label}}. Que puis-je faire pour vous ?',
    },
  },
  {
    shortcut: 'bye',
    texts: {
      en: 'Thank you for your visit. Have a good day!',
      de: 'Vielen Dank für Ihren Besuch. Einen schönen Tag noch!',
      es: 'Gracias por su visita. ¡Que tenga un buen día!',
      fr: 'Merci de votre visite. Bonne journée !',
    },
  },
];

/** For those who work in the shop. */
export const GROUP_REPLIES: readonly PreparedText[] = [
  {
    shortcut: 'delivery',
    texts: {
      en: 'We deliver in 2 to 3 days, free of charge.',
      de: 'Wir liefern in 2 bis 3 Tagen, kostenlos.',
      es: 'Entregamos en 2 o 3 días, sin gastos de envío.',
      fr: 'Nous livrons en 2 à 3 jours, sans frais.',
    },
  },
  {
    shortcut: 'returns',
    texts: {
      en: 'You can return everything within 60 days. Shall I send you the label by email?',
      de: 'Sie können alles innerhalb von 60 Tagen zurückgeben. Soll ich Ihnen den Aufkleber per E-Mail schicken?',
      es: 'Puede devolverlo todo en un plazo de 60 días. ¿Le envío la etiqueta por correo?',
      fr: 'Vous pouvez tout retourner dans les 60 jours. Vous envoyer l’étiquette par e-mail ?',
    },
  },
];

/** Of the operator who works at the desk. */
export const OWN_REPLIES: readonly PreparedText[] = [
  { shortcut: 'moment', texts: { en: 'One moment please, I am looking it up.' } },
];

/** One for each language, as an import takes them. */
export function listReplies(prepared: readonly PreparedText[]) {
  return prepared.flatMap(({ shortcut, texts }) =>
    Object.entries(texts).map(([language, text]) => ({ shortcut, language, text })),
  );
}
