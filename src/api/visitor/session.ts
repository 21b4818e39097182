import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { browserName } from '../../core/engine/records/visitor-profile.ts';
import { forbidden } from '../../core/kernel/caller.ts';
import { invalidField } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import { validate } from '../../core/kernel/validate.ts';
import { newSession, SESSION_SECONDS } from '../../core/visitors/visitor-sessions.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';
import { HttpError } from '../http/http-error.ts';
import { forbidPage } from './cors.ts';
import { allows } from './visitor-gate.ts';

const PATH = '/visitor/session';

/** Accounts are counted from 1, and most installations have one. */
const FIRST_ACCOUNT = 1;

const ID_RULE = 'must be an identifier: decimal digits';
const idText = z
  .union([z.int(), z.string()], { error: ID_RULE })
  .transform((given) => parseId(String(given)) ?? Number.NaN)
  .refine(Number.isSafeInteger, { error: ID_RULE });

const sessionRequest = newSession.extend({ websiteId: idText, accountId: idText.optional() });

/** `POST /visitor/session`: who comes to a website gets a token. */
export function registerSession(app: FastifyInstance, { sessions, websites, limits }: Visitors): void {
  app.post(PATH, async (request, reply) => {
    const { websiteId, accountId = FIRST_ACCOUNT, ...session } = validate(sessionRequest, readFields(request));
    const website = await websites.find(accountId, websiteId);
    if (!website || !allows(website, request.headers.origin)) forbidPage(reply);
    if (!website) throw invalidField('websiteId', 'must be an existing website of the account');
    if (!allows(website, request.headers.origin)) throw forbidden();
    await limits.admitSession(request.ip);
    const browser = browserName(request.headers['user-agent']);
    const { token, uniqueId } = await sessions.open(website, session, browser);
    return reply
      .code(201)
      .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
      .send(JSON.stringify({ token, expiresIn: SESSION_SECONDS, visitorId: uniqueId }));
  });

  app.route({
    method: ['GET', 'PUT', 'DELETE', 'PATCH'],
    url: PATH,
    handler: async (_request, reply) => {
      reply.header('allow', 'POST, OPTIONS');
      throw new HttpError(405, 'This address takes POST.');
    },
  });
  app.options(PATH, async (_request, reply) => reply.code(204).header('allow', 'POST, OPTIONS').send());
}

/** The fields of a body: JSON or a form. What is null was not given. */
function readFields(request: FastifyRequest): Record<string, unknown> {
  const [media = ''] = request.headers['content-type']?.toLowerCase().split(';') ?? [];
  const text = decoded(request.body as Buffer | undefined);
  const fields = READERS[media.trim()]?.(text);
  if (fields === undefined) {
    throw new HttpError(415, 'The body must be application/json or application/x-www-form-urlencoded.');
  }
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) {
    throw new HttpError(400, 'The body must be an object.');
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'application/json': (text) => {
    try {
      return JSON.parse(text);
    } catch {
      throw new HttpError(400, 'The body is not JSON.');
    }
  },
  'application/x-www-form-urlencoded': (text) => Object.fromEntries(new URLSearchParams(text)),
};

function decoded(body: Buffer | undefined): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new HttpError(400, 'The body is not UTF-8.');
  }
}
