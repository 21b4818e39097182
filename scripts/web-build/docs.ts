import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { type BuiltFile, bundle, copyFile } from './bundle.ts';

const FOLDER = 'web/docs';
/** Each page with its path, which its link in the bar has as well. */
const PAGES: Readonly<Record<string, string>> = {
  'landing/landing.html': '/developers',
  'api/api.html': '/docs',
  'graphiql/graphiql.html': '/graphiql',
  'migration.html': '/docs/migration',
  'meter/meter.html': '/docs/migration/meter',
};
/** Parts of pages, by their placeholders. */
const FRAGMENTS = { bar: 'bar.html' };
/** Filled in by the service. */
const VALUES = ['address', 'nonce'];

/** GraphiQL embeds two fonts in its style sheet, which make it nine times as large. The pages have their own. */
const withoutEmbeddedFonts: Plugin = {
  name: 'without-embedded-fonts',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/graphiql\/.*\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/@font-face\s*\{[^}]*\}/g, ''),
      loader: 'css',
    }));
  },
};

/** The documentation: pages with their scripts, styles and fonts. */
export async function buildDocs(root: string): Promise<BuiltFile[]> {
  const entry = (path: string) => ({ in: `${FOLDER}/${path}`, out: path.replace(/.*\/|\.\w+$/g, '') });
  const bundled = await bundle(root, {
    entryPoints: [
      ...['pages.css', 'landing/landing.css', 'api/api.css', 'graphiql/graphiql.css', 'meter/meter.css'],
      ...['bar.ts', 'api/api.ts', 'graphiql/graphiql.ts', 'meter/meter.ts'],
    ].map(entry),
    format: 'esm',
    splitting: true,
    loader: { '.woff2': 'file' },
    plugins: [withoutEmbeddedFonts],
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const addresses = new Map(bundled.map(({ entry, name }) => [entry, `/assets/${name}`]));
  const read = (file: string) => readFileSync(join(root, FOLDER, file), 'utf8');
  const pages = Object.entries(PAGES).map(([file, path]) =>
    copyFile(file.replace(/.*\//, ''), renderPage(file, path, read, addresses)),
  );
  return [
    ...bundled,
    ...pages,
    copyFile('favicon.svg', read('favicon.svg')),
    copyFile('openapi.json', JSON.stringify(JSON.parse(readFileSync(join(root, 'docs/api/openapi.json'), 'utf8')))),
  ];
}

function renderPage(
  file: string,
  path: string,
  read: (file: string) => string,
  addresses: ReadonlyMap<string, string>,
): string {
  const replace = (html: string): string =>
    html.replaceAll(/\{\{([\w.-]+)\}\}/g, (placeholder, name: string) => {
      if (VALUES.includes(name)) return placeholder;
      if (name in FRAGMENTS) return replace(read(FRAGMENTS[name as keyof typeof FRAGMENTS]));
      const address = addresses.get(name);
      if (address === undefined) throw new Error(`${FOLDER}/${file}: the build has no ${placeholder}.`);
      return address;
    });
  // The bar shows where the reader is.
  return replace(read(file)).replace(`<a href="${path}">`, `<a href="${path}" aria-current="page">`);
}
