export type ProductKind = 'pack' | 'jacket' | 'boots';

export interface Product {
  readonly kind: ProductKind;
  readonly path: string;
  readonly name: string;
  /** Where it stands in the shop. */
  readonly section: string;
  readonly subsection: string;
  readonly description: string;
  readonly euros: number;
  readonly sizes: string;
  readonly stock: number;
}

/** The shop's name, and the label of its website. */
export const SHOP_NAME = 'Halden';

/** What the pretend shop sells: shown on its pages, and known to the people who answer in it. */
export const PRODUCTS: readonly Product[] = [
  {
    kind: 'pack',
    path: '/packs/fell-28',
    name: 'Fell 28',
    section: 'Packs',
    subsection: 'Day packs',
    description:
      'A day pack for two seasons: waxed cotton, one big opening, a frame sheet you can take out. Repaired free of charge, for as long as you use it.',
    euros: 184.5,
    sizes: 'S/M, L/XL',
    stock: 12,
  },
  {
    kind: 'jacket',
    path: '/jackets/lund-shell',
    name: 'Lund Shell',
    section: 'Jackets',
    subsection: 'Rain jackets',
    description:
      'A rain jacket that stays quiet when you move: three layers, two high pockets, a hood that turns with your head. Sewn in Porto, dyed without water.',
    euros: 259,
    sizes: 'XS – XXL',
    stock: 7,
  },
  {
    kind: 'boots',
    path: '/boots/tarn-mid',
    name: 'Tarn Mid',
    section: 'Boots',
    subsection: 'Hiking boots',
    description:
      'Ankle-high boots of full-grain leather with a welted sole. Broken in after a weekend, resoled after some years, worn for decades.',
    euros: 229.9,
    sizes: '36 – 47',
    stock: 4,
  },
];
