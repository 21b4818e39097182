import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding } from '../http/encoding.ts';
import { addVary } from '../http/vary.ts';
import type { Asset, AssetEncoding } from './web-build.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
};

/** Sends the file in the best encoding that the client accepts, or 304 if the client has it. */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const { content, encoded, file } = asset;
  const encoding = chooseEncoding(request.headers['accept-encoding'], [...encoded.keys()]) as AssetEncoding | undefined;
  if (encoded.size > 0) addVary(reply, 'Accept-Encoding');
  const tag = file.integrity.slice('sha384-'.length, 'sha384-'.length + 22);
  reply.header('etag', encoding ? `"${tag}-${encoding}"` : `"${tag}"`);
  if (isCached(request, tag)) return reply.code(304).send();
  reply.type(MEDIA_TYPES[file.name.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
  if (encoding === undefined) return reply.send(content);
  return reply.header('content-encoding', encoding).send(encoded.get(encoding));
}

/** In any encoding: the content is the same. */
function isCached(request: FastifyRequest, tag: string): boolean {
  const tags = request.headers['if-none-match']?.split(',').map((text) => text.trim()) ?? [];
  return tags.some((each) => each.replace(/^W\//, '').replace(/(-br|-gzip)?"$/, '"') === `"${tag}"`);
}
