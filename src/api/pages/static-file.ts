import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Nothing from elsewhere; inline styles are there for Swagger UI, which sets them as it draws. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

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

export function loadFile(url: URL | string): StaticFile {
  const type = String(url).split('.').at(-1) as StaticFile['type'];
  return staticFile(type, readFileSync(new URL(url)));
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
