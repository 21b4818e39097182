/** A conversation in the past of a customer of the shop. */
export interface EarlierConversation {
  /** Who answered: the operator at the desk, or a colleague. */
  readonly by: 'desk' | 'colleague';
  /** When it was closed. */
  readonly minutesAgo: number;
  /** The visitor's and the operator's in turn, starting with the visitor's. */
  readonly messages: readonly string[];
  /** Names of tags. */
  readonly tags: readonly string[];
  /** What the operator noted about it. */
  readonly note?: string;
}

/** A customer of the shop, who has been in the chat before. */
export interface Customer {
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
  readonly phone: string;
  readonly city: string;
  readonly country: string;
  readonly timezone: string;
  readonly language: string;
  readonly browser: string;
  /** The page that they saw last, and how they came to the shop. */
  readonly page: { readonly path: string; readonly title: string; readonly referrer: string };
  /** Signed by the website. */
  readonly verifiedFields: Readonly<Record<string, string>>;
  /** What the page says without a signature. */
  readonly fields: Readonly<Record<string, string>>;
  readonly conversations: readonly EarlierConversation[];
}

const DAY = 24 * 60;

export const CUSTOMERS: readonly Customer[] = [
  {
    ...{ firstname: 'Anna', lastname: 'Keller', email: 'anna.keller@example.com', phone: '+41440001122' },
    ...{ city: 'Zürich', country: 'Switzerland', timezone: 'Europe/Zurich', language: 'en', browser: 'Firefox 140' },
    page: {
      path: '/packs/fell-28',
      title: 'Fell 28 · Halden',
      referrer: 'https://search.example.com/?q=waxed+day+pack',
    },
    verifiedFields: { 'Customer since': '2021', Orders: '7' },
    fields: { Basket: 'Fell 28, S/M' },
    conversations: [
      {
        ...{ by: 'colleague', minutesAgo: 12 * DAY, tags: ['Delivery'] },
        messages: [
          'Where is my parcel?',
          'Hello Anna! It left us this morning and arrives tomorrow before noon.',
          'Great, thank you!',
        ],
      },
      {
        ...{ by: 'desk', minutesAgo: 25, tags: ['Question', 'Praise'] },
        messages: [
          'Does the Fell 28 fit a 14 inch laptop?',
          'It does: the frame sheet has a sleeve for laptops of up to 15 inches.',
          'Lovely. And can you wax it again in a year?',
          'We do, free of charge. Send it to us in spring, it is back within a week.',
          'Perfect, then I will take it!',
        ],
        note: 'Wants to order for her sister too. Ask next time whether the size was right.',
      },
    ],
  },
  {
    ...{ firstname: 'Thomas', lastname: 'Brown', email: 'thomas.brown@example.com', phone: '' },
    ...{ city: 'Bristol', country: 'United Kingdom', timezone: 'Europe/London', language: 'en', browser: 'Chrome 141' },
    page: { path: '/boots/tarn-mid', title: 'Tarn Mid · Halden', referrer: '' },
    verifiedFields: { 'Customer since': '2019', Orders: '3' },
    fields: {},
    conversations: [
      {
        ...{ by: 'desk', minutesAgo: 70, tags: ['Refund'] },
        messages: [
          'The invoice says 229 €, but I had a voucher.',
          'You are right, it was not applied. I have corrected it.',
          'Do I have to do anything?',
          'No, the refund is with you within a week.',
        ],
        note: 'Voucher SPRING10 was refused by the shop: told the web team.',
      },
    ],
  },
  {
    ...{ firstname: 'Chloé', lastname: 'Roux', email: 'chloe.roux@example.com', phone: '+33140001002' },
    ...{ city: 'Paris', country: 'France', timezone: 'Europe/Paris', language: 'fr', browser: 'Safari 26' },
    page: { path: '/jackets/lund-shell', title: 'Lund Shell · Halden', referrer: '' },
    verifiedFields: {},
    fields: { Basket: 'Lund Shell, M' },
    conversations: [
      {
        ...{ by: 'desk', minutesAgo: 130, tags: ['Question'] },
        messages: [
          'Bonjour, la Lund Shell taille-t-elle grand ?',
          'Bonjour Chloé ! Elle est ample : prenez votre taille habituelle, ou une de moins sans pull.',
          'Merci, je prends le M.',
        ],
      },
    ],
  },
];
