import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sanitizeUserAgent } from '../../core/engine/records/visitor-profile.ts';
import { forbidden } from '../../core/kernel/caller.ts';
import { invalidField } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import { validate } from '../../core/kernel/validate.ts';
import { newSession, SESSION_TTL_SECONDS, type SessionToken } from '../../core/visitors/visitor-sessions.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';
import { removeCorsHeaders } from '../http/cors.ts';
import { HttpError } from '../http/http-error.ts';
import { rejectOtherMethods } from '../http/methods.ts';
import { isOriginAllowed } from './visitor-gate.ts';

const PATH = '/visitor/session';

/** Most installations have a single account. */
export const DEFAULT_ACCOUNT_ID = 1;

const ID_RULE = 'must be an identifier: decimal digits';
const idSchema = z
  .union([z.int(), z.string()], { error: ID_RULE })
  .transform((value) => parseId(String(value)) ?? Number.NaN)
  .refine(Number.isSafeInteger, { error: ID_RULE });

const sessionRequest = newSession.extend({ websiteId: idSchema, accountId: idSchema.optional() });

/** `POST /visitor/session` issues a token to a visitor of a website. */
export function registerSession(app: FastifyInstance, { sessions, websites, limits }: Visitors): void {
  app.post(PATH, async (request, reply) => {
    const { websiteId, accountId = DEFAULT_ACCOUNT_ID, ...session } = validate(sessionRequest, parseFields(request));
    const website = await websites.find(accountId, websiteId);
    if (!website || !isOriginAllowed(website, request.headers.origin)) removeCorsHeaders(reply);
    if (!website) throw invalidField('websiteId', 'must be an existing website of the account');
    if (!isOriginAllowed(website, request.headers.origin)) throw forbidden();
    await limits.admitSession(request.ip);
    const browser = sanitizeUserAgent(request.headers['user-agent']);
    return sendSession(reply, await sessions.open(website, session, browser));
  });

  rejectOtherMethods(app, PATH, 'POST, OPTIONS', 'Method not allowed: use POST.');
}

export function sendSession(reply: FastifyReply, { token, uniqueId }: SessionToken): FastifyReply {
  return reply
    .code(201)
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(JSON.stringify({ token, expiresIn: SESSION_TTL_SECONDS, visitorId: uniqueId }));
}

/** Parses a JSON or form body. Null fields count as absent. */
function parseFields(request: FastifyRequest): Record<string, unknown> {
  const [mediaType = ''] = request.headers['content-type']?.toLowerCase().split(';') ?? [];
  const text = decodeUtf8(request.body as Buffer | undefined);
  const fields = BODY_PARSERS[mediaType.trim()]?.(text);
  if (fields === undefined) {
    throw new HttpError(415, 'The body must be application/json or application/x-www-form-urlencoded.');
  }
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) {
    throw new HttpError(400, 'The body must be an object.');
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const BODY_PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  'application/json': (text) => {
    try {
      return JSON.parse(text);
    } catch {
      throw new HttpError(400, 'The body is not valid JSON.');
    }
  },
  'application/x-www-form-urlencoded': (text) => Object.fromEntries(new URLSearchParams(text)),
};

function decodeUtf8(body: Buffer | undefined): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new HttpError(400, 'The body is not valid UTF-8.');
  }
}
