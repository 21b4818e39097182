import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Nothing from elsewhere; inline styles are there for Swagger UI, which sets them as it draws. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

/** For a page with a login: nothing but what it names, and itself. */
export function loginPagePolicy(...own: readonly string[]): string {
  // The form is sent by the page's own script: should that fail, the password goes nowhere.
  const after = ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"];
  return ["default-src 'none'", "script-src 'self'", ...own, ...after].join('; ');
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
  readonly tag: string;
}

export function staticFile(type: StaticFile['type'], content: string | Buffer): StaticFile {
  const bytes = Buffer.from(content);
  return { type, bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

/** Serves files, each under its path. They are read once. */
export function serveFiles(
  app: FastifyInstance,
  files: Readonly<Record<string, URL | string>>,
  policyOf: (request: FastifyRequest) => string = () => POLICY,
): void {
  for (const [path, url] of Object.entries(files)) {
    const type = String(url).split('.').at(-1) as StaticFile['type'];
    const file = staticFile(type, readFileSync(new URL(url)));
    app.get(path, (request, reply) => sendFile(request, reply, file, policyOf(request)));
  }
}

/** Sends a file, or nothing where the browser has it already. A new version is seen at once. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, tag }: StaticFile,
  policy = POLICY,
): FastifyReply {
  reply.headers({
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    etag: tag,
  });
  const known = request.headers['if-none-match']?.split(',').map((text) => text.trim().replace(/^W\//, ''));
  if (known?.includes(tag)) return reply.code(304).send();
  return reply.header('content-type', MEDIA_TYPES[type]).send(bytes);
}
