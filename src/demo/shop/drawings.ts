import type { ProductKind } from './products.ts';

/** Where each product stands: the middle and half the width of its shadow. */
const SHADOWS: Readonly<Record<ProductKind, readonly [number, number]>> = {
  pack: [320, 150],
  jacket: [320, 150],
  boots: [354, 215],
};

/** Flat drawings instead of photos: no files, and nothing of anyone else. */
const DRAWINGS: Readonly<Record<ProductKind, string>> = {
  pack: `<path d="M246 120c0-52 30-78 74-78s74 26 74 78" fill="none" stroke="#4b5a52" stroke-width="14"/>
<rect x="206" y="92" width="228" height="330" rx="44" fill="#6b7d72"/>
<rect x="206" y="92" width="228" height="120" rx="44" fill="#5b6c62"/>
<rect x="236" y="262" width="168" height="124" rx="18" fill="#5b6c62"/>
<path d="M236 300h168" stroke="#46544c" stroke-width="4"/>
<rect x="306" y="196" width="28" height="44" rx="6" fill="#d8a657"/>
<path d="M190 190v150M450 190v150" stroke="#4b5a52" stroke-width="16" stroke-linecap="round"/>`,
  jacket: `<path d="M262 66q58 46 116 0l60 28 62 190-52 20-38-96v212H230V208l-38 96-52-20 62-190z" fill="#5f7686"/>
<path d="M262 66q58 46 116 0l-14 58q-44 34-88 0z" fill="#4c616f"/>
<path d="M320 142v278" stroke="#3f525e" stroke-width="5"/>
<path d="M252 250l40 58M388 250l-40 58" stroke="#3f525e" stroke-width="6" stroke-linecap="round"/>
<rect x="312" y="150" width="16" height="26" rx="5" fill="#d8a657"/>`,
  boots: `<path d="M168 112h118v170q10 26 66 40 34 10 34 44v26H168z" fill="#8a6a4d"/>
<path d="M168 112h118v40H168z" fill="#715440"/>
<path d="M160 388h232v26q0 10-10 10H170q-10 0-10-10z" fill="#4a3b30"/>
<path d="M236 190h44M236 222h44M238 254h44M246 286h36" stroke="#d8a657" stroke-width="7" stroke-linecap="round"/>
<path d="M356 140h104v164q10 24 54 36 30 10 30 38v14H392v-26q0-36-36-46z" fill="#7a5d44"/>
<path d="M392 388h158v26q0 10-10 10H392z" fill="#3f3229"/>`,
};

export function renderDrawing(kind: ProductKind, label: string): string {
  const [middle, radius] = SHADOWS[kind];
  return `<svg viewBox="0 0 640 480" role="img" aria-label="${label}"><rect width="640" height="480" fill="#d9d3c7"/>
<ellipse cx="${middle}" cy="430" rx="${radius}" ry="16" fill="#b9b1a2"/>${DRAWINGS[kind]}</svg>`;
}
