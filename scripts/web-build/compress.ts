import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Smaller files fit into one packet anyway. */
const MIN_BYTES = 1400;
/** Beyond this size, the highest quality takes seconds. */
const MAX_BEST_QUALITY_BYTES = 300_000;
const COMPRESSIBLE = /\.(js|css|html|svg|json)$/;

export interface CompressedCopies {
  readonly brotli?: Buffer;
  readonly gzip?: Buffer;
}

export async function compress(name: string, content: Uint8Array): Promise<CompressedCopies> {
  if (content.length < MIN_BYTES || !COMPRESSIBLE.test(name)) return {};
  const quality = content.length > MAX_BEST_QUALITY_BYTES ? 9 : 11;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content, { level: 9 }) as Promise<Buffer>,
  ]);
  return { brotli, gzip: gzipped };
}
