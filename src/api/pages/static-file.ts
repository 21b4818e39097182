import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding } from '../http/encoding.ts';
import { addVary } from '../http/vary.ts';

/** Same origin only. Inline styles are needed by Swagger UI, which sets them at run time. */
const DEFAULT_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

/** Returns the policy of a page with a login form: scripts of the same origin, plus what `directives` allow. */
export function buildLoginPagePolicy(...directives: readonly string[]): string {
  // The page's script submits the form. If it fails to load, the browser must not send the password.
  const lockdown = ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"];
  return ["default-src 'none'", "script-src 'self'", ...directives, ...lockdown].join('; ');
}

const MEDIA_TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
};

/** Smaller files fit into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1400;
const REVALIDATE = 'no-cache';
const KEEP_FOREVER = 'public, max-age=31536000, immutable';

/**
 * Strong compression, because each file is compressed once. Brotli 9 and not 11: the largest file takes 0.5 s instead of
 * 10 s, and becomes 9 % larger.
 */
const COMPRESSORS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }) as Promise<Buffer>,
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }) as Promise<Buffer>,
};
type FileEncoding = keyof typeof COMPRESSORS;
const FILE_ENCODINGS: readonly FileEncoding[] = ['br', 'gzip'];

/** A file in memory, with its compressed copies, which are made at the first request for them. */
export class StaticFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
  /** Identifies the content; the same on every node. */
  readonly hash: string;
  readonly #compressed = new Map<FileEncoding, Promise<Buffer>>();

  constructor(type: keyof typeof MEDIA_TYPES, content: string | Buffer) {
    this.bytes = Buffer.from(content);
    this.mediaType = MEDIA_TYPES[type];
    this.hash = createHash('sha256').update(this.bytes).digest('base64url').slice(0, 22);
  }

  compress(encoding: FileEncoding): Promise<Buffer> {
    const compressed = this.#compressed.get(encoding) ?? COMPRESSORS[encoding](this.bytes);
    this.#compressed.set(encoding, compressed);
    return compressed;
  }
}

/**
 * Serves files under their paths. Files are read once, at startup. Pages refer to the others with their hash
 * (`/style.css?v=…`): browsers keep these forever, and load a new version as soon as a page refers to it.
 */
export class FileServer {
  readonly #app: FastifyInstance;
  readonly #hashes = new Map<string, string>();

  constructor(app: FastifyInstance) {
    this.#app = app;
  }

  serve(
    files: Readonly<Record<string, URL | string>>,
    getPolicy: (request: FastifyRequest) => string = () => DEFAULT_POLICY,
  ): void {
    for (const [path, url] of Object.entries(files)) {
      const content = readFileSync(new URL(url));
      const isPage = String(url).endsWith('.html');
      // Pages are built at the first request, when the hashes of all files are known.
      let file = isPage
        ? undefined
        : new StaticFile(String(url).split('.').at(-1) as keyof typeof MEDIA_TYPES, content);
      if (file) this.#hashes.set(path, file.hash);
      this.#app.get(path, (request, reply) => {
        file ??= this.createPage(String(content));
        return sendFile(request, reply, file, getPolicy(request));
      });
    }
  }

  /** Adds the hashes to the references of a page. */
  createPage(html: string): StaticFile {
    const versioned = html.replaceAll(/(?<=\b(?:href|src)=")[^"?#]+(?=")/g, (path) => {
      const hash = this.#hashes.get(path);
      return hash === undefined ? path : `${path}?v=${hash}`;
    });
    return new StaticFile('html', versioned);
  }
}

/** Sends the file, or 304 if the browser has the current version. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
  policy = DEFAULT_POLICY,
): Promise<FastifyReply> {
  const isCompressible = file.bytes.length > MIN_COMPRESSED_BYTES;
  const encoding = isCompressible
    ? (chooseEncoding(request.headers['accept-encoding'], FILE_ENCODINGS) as FileEncoding | undefined)
    : undefined;
  if (isCompressible) addVary(reply, 'Accept-Encoding');
  reply.headers({
    'cache-control': request.url.endsWith(`?v=${file.hash}`) ? KEEP_FOREVER : REVALIDATE,
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    etag: encoding ? `"${file.hash}-${encoding}"` : `"${file.hash}"`,
  });
  if (isCached(request, file)) return reply.code(304).send();
  reply.header('content-type', file.mediaType);
  if (encoding === undefined) return reply.send(file.bytes);
  return reply.header('content-encoding', encoding).send(await file.compress(encoding));
}

/** In any encoding: the content is the same. */
function isCached(request: FastifyRequest, { hash }: StaticFile): boolean {
  const tags = request.headers['if-none-match']?.split(',').map((text) => text.trim()) ?? [];
  return tags.some((tag) => tag.replace(/^W\//, '').replace(/(-br|-gzip)?"$/, '"') === `"${hash}"`);
}
