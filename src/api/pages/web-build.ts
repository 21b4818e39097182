import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WebFile, WebManifest } from './web-manifest.ts';

const FOLDER = fileURLToPath(new URL('../../../dist/web/', import.meta.url));
/** While the build is watched, a page and its files come from the same build for at least this time. */
const CHECK_INTERVAL_MS = 200;

export type AssetEncoding = 'br' | 'gzip';

/** A built file in memory, with its compressed copies. */
export interface Asset {
  readonly content: Buffer;
  readonly encoded: ReadonlyMap<AssetEncoding, Buffer>;
  readonly file: WebFile;
}

/**
 * The built web pages. They are read once, so that a later build, perhaps of another version, does not change what a
 * running service serves; only while `npm run web` is running, every new build is read.
 */
export class WebBuild {
  readonly #folder: string;
  #manifest: WebManifest | undefined;
  #assets = new Map<string, Asset>();
  #readAt = 0;
  #checkedAt = 0;

  constructor(folder = FOLDER) {
    this.#folder = folder;
    this.#read();
  }

  /** Undefined if there is no build. */
  get manifest(): WebManifest | undefined {
    this.#readNewBuild();
    return this.#manifest;
  }

  /** By its entry, for example `panel.js`. */
  getEntry(entry: string): Asset | undefined {
    const file = this.manifest?.files[entry];
    return file && this.#assets.get(file.name);
  }

  /** By its name with the hash. */
  getAsset(name: string): Asset | undefined {
    this.#readNewBuild();
    return this.#assets.get(name);
  }

  #readNewBuild(): void {
    const now = Date.now();
    if (!this.#manifest?.isWatched || now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    if (statSync(`${this.#folder}manifest.json`).mtimeMs !== this.#readAt) this.#read();
  }

  #read(): void {
    const path = `${this.#folder}manifest.json`;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    this.#readAt = stat.mtimeMs;
    this.#manifest = JSON.parse(readFileSync(path, 'utf8')) as WebManifest;
    this.#assets = new Map(Object.values(this.#manifest.files).map((file) => [file.name, this.#readAsset(file)]));
  }

  #readAsset(file: WebFile): Asset {
    const path = `${this.#folder}assets/${file.name}`;
    const encoded = new Map<AssetEncoding, Buffer>();
    if (file.brotliBytes !== undefined) encoded.set('br', readFileSync(`${path}.br`));
    if (file.gzipBytes !== undefined) encoded.set('gzip', readFileSync(`${path}.gz`));
    return { content: readFileSync(path), encoded, file };
  }
}
