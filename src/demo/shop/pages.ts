import { renderDrawing } from './drawings.ts';
import { PRODUCTS, type Product, SHOP_NAME } from './products.ts';

/** What the pages need to show the widget. */
export interface WidgetPlace {
  /** The address of the service, as browsers reach it. */
  readonly serviceUrl: string;
  readonly websiteId: number;
}

const TITLE = `${SHOP_NAME}, a pretend shop`;

/** Every page of the shop by its path. */
export function renderPages(place: WidgetPlace): ReadonlyMap<string, string> {
  const pages = [
    ['/', TITLE, renderHome()],
    ...PRODUCTS.map((product) => [product.path, `${product.name} · ${SHOP_NAME}`, renderProduct(product)]),
    ['/journal', `Journal · ${SHOP_NAME}`, JOURNAL],
    ['/basket', `Basket · ${SHOP_NAME}`, BASKET],
  ] as const;
  return new Map(pages.map(([path = '', title = '', main = '']) => [path, renderPage({ title, path, main }, place)]));
}

export function renderNotFound(place: WidgetPlace): string {
  return renderPage({ title: `Not found · ${SHOP_NAME}`, path: '', main: NOT_FOUND }, place);
}

function renderPage(
  { title, path, main }: { readonly title: string; readonly path: string; readonly main: string },
  { serviceUrl, websiteId }: WidgetPlace,
): string {
  const links = [
    ...PRODUCTS.map((product) => [product.path, product.section] as const),
    ['/journal', 'Journal'] as const,
  ];
  const navigation = links.map(
    ([target, label]) => `<a href="${target}"${target === path ? ' aria-current="page"' : ''}>${label}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shop.css">
<script async src="${escapeAttribute(`${serviceUrl}/widget.js`)}" data-website="${websiteId}"></script>
</head>
<body>
<header class="bar">
<a class="brand" href="/">${SHOP_NAME.toUpperCase()}</a>
<nav aria-label="Shop">${navigation.join('')}</nav>
<a class="basket" href="/basket">Basket</a>
</header>
<main>${main}</main>
<footer>A pretend shop, to try Switchboard. Nothing here is for sale; the people in the chat are played.</footer>
</body>
</html>
`;
}

function renderHome(): string {
  const cards = PRODUCTS.map(
    (product) => `<li><a href="${product.path}"><span class="photo">${renderDrawing(product.kind, product.name)}</span>
<strong>${product.name}</strong><span class="price">${formatPrice(product)}</span></a></li>`,
  );
  return `<div class="intro"><h1>Made once, used for years</h1>
<p>Packs, jackets and boots for the hills behind the house. Questions? There is someone in the chat.</p></div>
<ul class="cards">${cards.join('')}</ul>`;
}

function renderProduct(product: Product): string {
  const { kind, name, section, subsection, description } = product;
  return `<article class="product"><div class="photo">${renderDrawing(kind, name)}</div>
<div class="details"><p class="small">${section} / ${subsection}</p><h1>${name}</h1><p class="muted">${description}</p>
<p class="price">${formatPrice(product)}</p><a class="button" href="/basket">Add to basket</a>
<p class="small">Sizes ${product.sizes}. Delivered in 2 to 3 days. 60 days to return.</p></div></article>`;
}

const JOURNAL = `<article class="text"><h1>Journal</h1><h2>How to wax a pack</h2>
<p>Brush it, warm the wax with a hair dryer, rub it in along the seams first, and leave the pack in the sun for a day.
Once a year is enough.</p><h2>Why we repair for free</h2>
<p>Because then we build things that we do not have to repair.</p></article>`;

const BASKET = `<article class="text"><h1>Your basket is empty</h1>
<p>And it stays empty: this is a pretend shop. Write to us in the chat instead, or <a href="/">look around</a>.</p></article>`;

const NOT_FOUND = `<article class="text"><h1>This page does not exist</h1>
<p><a href="/">To the start page</a></p></article>`;

const formatPrice = ({ euros }: Product) => `€ ${euros.toFixed(2)}`;

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
