import { pipeline, Readable, type Transform } from 'node:stream';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { chooseEncoding, type Encoding } from './encoding.ts';
import { addVary } from './vary.ts';

/** Smaller responses fit into one packet anyway. */
const MIN_BYTES = 1400;
/**
 * Up to this size (about a millisecond) compressing at once is cheaper: handing it to a thread costs six times the
 * processor time for a few kilobytes, and the threads are needed for passwords.
 */
const MAX_SYNC_BYTES = 256 * 1024;
const COMPRESSIBLE = /^(text\/|application\/([\w.-]+\+)?json)/;

type Content = string | Buffer;
type Done = (error: Error | null, compressed: Buffer) => void;

interface Compressor {
  compressSync(content: Content): Buffer;
  compress(content: Content, done: Done): void;
  createStream(): Transform;
}

const GZIP = { level: 1 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const COMPRESSORS: Readonly<Record<Encoding, Compressor>> = {
  gzip: {
    compressSync: (content) => gzipSync(content, GZIP),
    compress: (content, done) => gzip(content, GZIP, done),
    createStream: () => createGzip(GZIP),
  },
  br: {
    compressSync: (content) => brotliCompressSync(content, BROTLI),
    compress: (content, done) => brotliCompress(content, BROTLI, done),
    createStream: () => createBrotliCompress(BROTLI),
  },
  zstd: {
    compressSync: (content) => zstdCompressSync(content, ZSTD),
    compress: (content, done) => zstdCompress(content, ZSTD, done),
    createStream: () => createZstdCompress(ZSTD),
  },
};

/**
 * Compresses responses for clients that ask for it. An attacker cannot measure secrets by the compressed length
 * (BREACH): no browser adds credentials to a request by itself, and responses with tokens are below the minimum.
 */
export function compressResponses(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    if (!isCompressible(reply, payload)) return done(null, payload);
    addVary(reply, 'Accept-Encoding');
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (encoding === undefined) return done(null, payload);
    reply.header('content-encoding', encoding).removeHeader('content-length');
    const compressor = COMPRESSORS[encoding];
    if (payload instanceof Readable) return done(null, compressStream(payload, compressor, request.method));
    if (payload.length <= MAX_SYNC_BYTES) return done(null, compressAtOnce(payload, encoding));
    compressor.compress(payload, done);
  });
}

/** A response that is sent without fastify. The headers are alternating names and values. */
export interface CompressedContent {
  readonly content: Content;
  readonly headers: readonly string[];
}

const NO_HEADERS: readonly string[] = [];
const UNCOMPRESSED_HEADERS = ['vary', 'Accept-Encoding'];

/** Does the same for JSON that is sent without fastify. Returns undefined if it is too long to be compressed at once. */
export function compressJson(content: Content, acceptEncoding: string | undefined): CompressedContent | undefined {
  if (content.length <= MIN_BYTES) return { content, headers: NO_HEADERS };
  const encoding = chooseEncoding(acceptEncoding);
  if (encoding === undefined) return { content, headers: UNCOMPRESSED_HEADERS };
  if (content.length > MAX_SYNC_BYTES) return undefined;
  const headers = [...UNCOMPRESSED_HEADERS, 'content-encoding', encoding];
  return { content: compressAtOnce(content, encoding), headers };
}

/** Compressed copies of responses that are sent repeatedly: cached ones are buffers, all others are strings. */
const compressedCopies = new WeakMap<Buffer, Map<Encoding, Buffer>>();

function compressAtOnce(content: Content, encoding: Encoding): Buffer {
  if (typeof content === 'string') return COMPRESSORS[encoding].compressSync(content);
  return compressOnce(content, encoding);
}

/** Keeps the compressed copy as long as the content. */
export function compressOnce(content: Buffer, encoding: Encoding): Buffer {
  const copies = compressedCopies.get(content) ?? new Map<Encoding, Buffer>();
  const copy = copies.get(encoding) ?? COMPRESSORS[encoding].compressSync(content);
  compressedCopies.set(content, copies.set(encoding, copy));
  return copy;
}

/** A response with an `ETag` chooses its encoding itself: each encoding needs its own tag. */
function isCompressible(reply: FastifyReply, payload: unknown): payload is Content | Readable {
  const isLong =
    typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length > MIN_BYTES : payload instanceof Readable;
  if (!isLong || reply.hasHeader('content-encoding') || reply.hasHeader('etag')) return false;
  return COMPRESSIBLE.test(String(reply.getHeader('content-type')));
}

/** The stream for HEAD is never read, so it is not compressed either. */
function compressStream(source: Readable, compressor: Compressor, method: string): Readable {
  if (method === 'HEAD') return source;
  // A failure destroys both streams, which ends the response.
  return pipeline(source, compressor.createStream(), () => undefined);
}
