import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

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

export interface StaticFile {
  readonly type: keyof typeof MEDIA_TYPES;
  readonly bytes: Buffer;
  readonly etag: string;
}

export function createStaticFile(type: StaticFile['type'], content: string | Buffer): StaticFile {
  const bytes = Buffer.from(content);
  return { type, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

/** Serves each file under its path. Files are read once, at startup. */
export function serveFiles(
  app: FastifyInstance,
  files: Readonly<Record<string, URL | string>>,
  getPolicy: (request: FastifyRequest) => string = () => DEFAULT_POLICY,
): void {
  for (const [path, url] of Object.entries(files)) {
    const type = String(url).split('.').at(-1) as StaticFile['type'];
    const file = createStaticFile(type, readFileSync(new URL(url)));
    app.get(path, (request, reply) => sendFile(request, reply, file, getPolicy(request)));
  }
}

/** Sends the file, or 304 if the browser has the current version. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, etag }: StaticFile,
  policy = DEFAULT_POLICY,
): FastifyReply {
  reply.headers({
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    etag,
  });
  const cachedTags = request.headers['if-none-match']?.split(',').map((text) => text.trim().replace(/^W\//, ''));
  if (cachedTags?.includes(etag)) return reply.code(304).send();
  return reply.header('content-type', MEDIA_TYPES[type]).send(bytes);
}
