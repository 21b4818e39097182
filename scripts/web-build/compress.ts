import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A page loads many small files at once; below this size a compressed copy saves next to nothing. */
const MIN_BYTES = 256;
/** Beyond this size, the highest quality takes long: less than a second for 300 kB, ten seconds for the largest file. */
const MAX_BEST_QUALITY_BYTES = 300_000;
const COMPRESSIBLE = /\.(js|css|html|svg|json)$/;

export interface CompressedCopies {
  readonly brotli?: Buffer;
  readonly gzip?: Buffer;
}

/** `earlierAssets`: the folder of the last build. Most files are in it, unchanged and compressed. */
export async function compress(name: string, content: Uint8Array, earlierAssets: string): Promise<CompressedCopies> {
  if (content.length < MIN_BYTES || !COMPRESSIBLE.test(name)) return {};
  const earlier = join(earlierAssets, name);
  if (readIfPresent(earlier)?.equals(content)) {
    const [brotli, gzip] = [readIfPresent(`${earlier}.br`), readIfPresent(`${earlier}.gz`)];
    if (brotli && gzip) return { brotli, gzip };
  }
  const quality = content.length > MAX_BEST_QUALITY_BYTES ? 9 : 11;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content, { level: 9 }) as Promise<Buffer>,
  ]);
  return { brotli, gzip: gzipped };
}

function readIfPresent(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}
