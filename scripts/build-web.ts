// Builds the web pages and the widget into dist/web. `scripts/prepare.mjs` runs it when the sources have changed.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WebFile, WebManifest } from '../src/api/pages/web-manifest.ts';
import { BUDGETS, findExceededBudgets } from './web-build/budgets.ts';
import { type BuiltFile, bundleWidget } from './web-build/bundle.ts';
import { compress } from './web-build/compress.ts';
import { buildDocs } from './web-build/docs.ts';
import { writeBuild } from './web-build/output.ts';
import { buildPages } from './web-build/pages.ts';
import { hashWebSources } from './web-build/sources.mjs';

export interface BuildOptions {
  /** The folder of the project. */
  readonly root: string;
  readonly outputFolder?: string;
  readonly budgets?: Readonly<Record<string, number>>;
  readonly isWatched?: boolean;
}

/** The build is over budget; nothing was written. */
export class BudgetExceeded extends Error {}

export async function buildWeb({
  root,
  outputFolder = join(root, 'dist/web'),
  budgets = BUDGETS,
  isWatched = false,
}: BuildOptions): Promise<WebManifest> {
  // Before the files are read: a file that changes meanwhile makes this build stale.
  const sources = hashWebSources(root);
  const built = (await Promise.all([bundleWidget(root), buildDocs(root), buildPages(root)])).flat();
  const contents = new Map<string, Uint8Array>();
  const files: Record<string, WebFile> = {};
  const compressed = await Promise.all(
    built.map(({ name, content }) => compress(name, content, join(outputFolder, 'assets'))),
  );
  for (const [index, { entry, name, content }] of built.entries()) {
    const { brotli, gzip } = compressed[index] ?? {};
    contents.set(name, content);
    if (brotli) contents.set(`${name}.br`, brotli);
    if (gzip) contents.set(`${name}.gz`, gzip);
    files[entry] = {
      name,
      bytes: content.length,
      ...(brotli && { brotliBytes: brotli.length }),
      ...(gzip && { gzipBytes: gzip.length }),
      integrity: `sha384-${createHash('sha384').update(content).digest('base64')}`,
    };
  }
  checkBudgets(built, contents, budgets);
  const manifest = { sources, isWatched, widgetVersion: createWidgetVersion(root, files['widget.js']), files };
  writeBuild(outputFolder, contents, manifest);
  return manifest;
}

/** Compares what a browser loads at once with the budget of each entry. */
function checkBudgets(
  built: readonly BuiltFile[],
  contents: ReadonlyMap<string, Uint8Array>,
  budgets: Readonly<Record<string, number>>,
): void {
  const sizeOf = (name: string) => (contents.get(`${name}.br`) ?? contents.get(name))?.length ?? 0;
  const sizes = built.map(({ entry, name, imports }) => ({
    entry,
    brotliBytes: [name, ...imports].reduce((sum, file) => sum + sizeOf(file), 0),
  }));
  const exceeded = findExceededBudgets(sizes, budgets);
  if (exceeded.length > 0) throw new BudgetExceeded(exceeded.join('\n'));
}

/** The version of the package, and a part of the loader's hash: the content behind a pinned address never changes. */
function createWidgetVersion(root: string, loader: WebFile | undefined): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return `${version}-${loader?.name.match(/-(\w+)\.js$/)?.[1]?.toLowerCase()}`;
}

if (import.meta.main) {
  try {
    await buildWeb({ root: fileURLToPath(new URL('..', import.meta.url)) });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
