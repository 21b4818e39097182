import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { styleTexts } from './style-texts.ts';

/** A file to serve, before compression. */
export interface BuiltFile {
  /** The key in the manifest. Other files have their name. */
  readonly entry: string;
  /** With a hash of the content. */
  readonly name: string;
  readonly content: Uint8Array;
  /** The names of the files that it imports statically, directly or through others. */
  readonly imports: readonly string[];
}

const COMMON: BuildOptions = {
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  logLevel: 'silent',
};

/** The widget: a classic script for the websites, a module that it loads at the first click, and one for a conversation. */
export async function bundleWidget(root: string): Promise<BuiltFile[]> {
  const panel = await bundle(root, {
    entryPoints: [
      { in: 'web/widget/panel/main.tsx', out: 'panel' },
      { in: 'web/widget/panel/conversation/conversation.tsx', out: 'conversation' },
    ],
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [styleTexts],
  });
  const entry = panel.find((file) => file.entry === 'panel.js');
  const paths = [entry?.name, ...(entry?.imports ?? [])].map((name) => `assets/${name}`);
  const loader = await bundle(root, {
    entryPoints: [{ in: 'web/widget/loader.ts', out: 'widget' }],
    format: 'iife',
    plugins: [styleTexts],
    define: { PANEL_PATHS: JSON.stringify(paths) },
  });
  return [...loader, ...panel];
}

interface BundleOptions extends BuildOptions {
  /** By the name of the result: `in` is the path of the source. */
  readonly entryPoints: { in: string; out: string }[];
}

/** Entries keep their name in the manifest; parts that are loaded later may share one. */
export async function bundle(root: string, options: BundleOptions): Promise<BuiltFile[]> {
  const entries = new Set(options.entryPoints.map((entry) => entry.in));
  const { outputFiles = [], metafile } = await build({
    ...COMMON,
    ...options,
    absWorkingDir: root,
    outdir: join(root, 'dist'),
  });
  const outputs = (metafile as Metafile).outputs;
  return outputFiles.map(({ path, contents }) => {
    const name = basename(path);
    const isEntry = entries.has(outputs[`dist/${name}`]?.entryPoint ?? '');
    return {
      entry: isEntry ? name.replace(/-[A-Z0-9]{8}(?=\.\w+$)/, '') : name,
      name,
      content: contents,
      imports: [...listStaticImports(outputs, `dist/${name}`)].map((file) => basename(file)),
    };
  });
}

function listStaticImports(outputs: Metafile['outputs'], file: string, found = new Set<string>()): Set<string> {
  for (const { path, kind } of outputs[file]?.imports ?? []) {
    if (kind === 'dynamic-import' || found.has(path) || !(path in outputs)) continue;
    listStaticImports(outputs, path, found.add(path));
  }
  return found;
}

/** A file that is not bundled. */
export function copyFile(entry: string, text: string): BuiltFile {
  const content = Buffer.from(text);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase();
  return { entry, name: entry.replace(/(?=\.\w+$)/, `-${hash}`), content, imports: [] };
}
