import type { FastifyInstance } from 'fastify';
import { listLanguages } from '../../core/directory/widget-texts/resolve-texts.ts';
import { forbidden } from '../../core/kernel/caller.ts';
import { invalidField } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';
import { chooseLanguage } from '../../core/visitors/widget-language.ts';
import { compressOnce } from '../http/compression.ts';
import { removeCorsHeaders } from '../http/cors.ts';
import { chooseEncoding } from '../http/encoding.ts';
import { rejectOtherMethods } from '../http/methods.ts';
import { addVary } from '../http/vary.ts';
import { DEFAULT_ACCOUNT_ID } from './session.ts';
import { isOriginAllowed } from './visitor-gate.ts';

const PATH = '/visitor/widget';

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=5' };

/** `GET /visitor/widget` tells a page what to show, without a session. It stores nothing. */
export function registerWidget(app: FastifyInstance, { websites, widgets }: Visitors): void {
  app.get(PATH, async (request, reply) => {
    const { headers } = request;
    const { websiteId, accountId, asked } = parseQuery(request.url);
    const website = await websites.find(accountId, websiteId);
    if (!website || !isOriginAllowed(website, headers.origin)) removeCorsHeaders(reply);
    if (!website) throw invalidField('website', 'must be an existing website of the account');
    if (!isOriginAllowed(website, headers.origin)) throw forbidden();
    const { language, usesHeader } = chooseLanguage({
      asked,
      acceptLanguage: headers['accept-language'],
      websiteLanguage: website.language,
      available: listLanguages(website.widget.texts ?? {}),
    });
    if (usesHeader) addVary(reply, 'Accept-Language');
    addVary(reply, 'Accept-Encoding');
    const view = await widgets.find(website, language);
    const encoding = chooseEncoding(headers['accept-encoding']);
    reply.headers({ ...HEADERS, etag: encoding ? `"${view.hash}-${encoding}"` : `"${view.hash}"` });
    if (isCached(headers['if-none-match'], view.hash)) return reply.removeHeader('content-type').code(304).send();
    reply.header('content-language', language);
    if (encoding === undefined) return reply.send(view.bytes);
    return reply.header('content-encoding', encoding).send(compressOnce(view.bytes, encoding));
  });

  rejectOtherMethods(app, PATH, 'GET, HEAD, OPTIONS', 'Method not allowed: use GET.');
}

function parseQuery(url: string) {
  const start = url.indexOf('?');
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start));
  const account = query.get('account');
  return {
    websiteId: parseIdParameter('website', query.get('website')),
    accountId: account === null ? DEFAULT_ACCOUNT_ID : parseIdParameter('account', account),
    asked: query.get('language') ?? undefined,
  };
}

function parseIdParameter(name: string, text: string | null): number {
  const id = text === null ? undefined : parseId(text);
  if (id === undefined) throw invalidField(name, 'must be an identifier: decimal digits');
  return id;
}

/** In any encoding: the content is the same. */
function isCached(header: string | undefined, hash: string): boolean {
  return (
    header !== undefined && (header.trim() === '*' || header.includes(`"${hash}"`) || header.includes(`"${hash}-`))
  );
}
