import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuiltFile, bundle, copyFile } from './bundle.ts';

/** Each page is a folder of web/ with `main.tsx`, and a style sheet with the name of the folder. */
const PAGES = ['start', 'login', 'password', 'account'];
/**
 * The desk loads some of its views on demand. Bundled with the other pages, each module would move to the chunk of
 * exactly those views and pages that use it, and the log-in page would load a dozen tiny files.
 */
const PROGRAMS = ['desk'];
const TEMPLATE = 'web/shared/page/page.html';

/** The pages made with React: for each a script, a style sheet and the HTML that loads them. */
export async function buildPages(root: string): Promise<BuiltFile[]> {
  const bundles = await Promise.all([
    bundle(root, { entryPoints: [{ in: 'web/shared/theme/apply-theme.ts', out: 'theme' }], format: 'iife' }),
    bundlePages(root, PAGES),
    ...PROGRAMS.map((program) => bundlePages(root, [program])),
  ]);
  const files = bundles.flat();
  const template = readFileSync(join(root, TEMPLATE), 'utf8');
  return [
    ...files,
    ...[...PAGES, ...PROGRAMS].map((page) => renderPage(page, fillInSkeleton(root, page, template), files)),
  ];
}

function bundlePages(root: string, pages: readonly string[]): Promise<BuiltFile[]> {
  return bundle(root, {
    entryPoints: pages.flatMap((page) => [
      { in: `web/${page}/main.tsx`, out: page },
      { in: `web/${page}/${page}.css`, out: page },
    ]),
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'react',
    loader: { '.woff2': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
}

/** What a page shows until its program has drawn it, if it has such a file. */
function fillInSkeleton(root: string, page: string, template: string): string {
  const file = join(root, `web/${page}/skeleton.html`);
  return template.replace('{{skeleton}}', () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : ''));
}

function renderPage(page: string, template: string, files: readonly BuiltFile[]): BuiltFile {
  const find = (entry: string) => {
    const file = files.find((each) => each.entry === entry);
    if (file === undefined) throw new Error(`${TEMPLATE}: the build has no ${entry}.`);
    return file;
  };
  const [theme, style, script] = [find('theme.js'), find(`${page}.css`), find(`${page}.js`)];
  const values: Readonly<Record<string, string>> = {
    'theme.js': toAddress(theme.name),
    style: toAddress(style.name),
    script: toAddress(script.name),
    // Without these the browser finds out only after it has read the script.
    imports: script.imports.map((name) => `<link rel="modulepreload" href="${toAddress(name)}" />`).join('\n    '),
  };
  const html = template.replaceAll(/\{\{([\w.]+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder);
  // What the browser loads at once, for the budget. Not the fonts: the page is readable without them.
  return { ...copyFile(`${page}.html`, html), imports: [theme.name, style.name, script.name, ...script.imports] };
}

function toAddress(name: string): string {
  return `/assets/${name}`;
}
