import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { customField, MAX_FIELDS } from '../engine/records/visitor-context.ts';
import { PROFILE_FIELDS, type VisitorUpdate, visitorUpdate } from '../engine/records/visitor-profile.ts';
import { DomainError, invalid } from '../kernel/errors.ts';
import { text } from '../kernel/text.ts';

/** Fits the largest claims that are accepted. */
export const MAX_TOKEN_LENGTH = 65_536;
export const MAX_VALIDITY_DAYS = 366;

/** A header of a JWT, its claims and the signature (HMAC-SHA256 has 43 characters in base64url). */
const COMPACT_TOKEN = /^([\w-]{1,1000})\.([\w-]+)\.([\w-]{43})$/;

const FIELDS_RULE = `must be an object of at most ${MAX_FIELDS} texts, with names of 1 to 64 and values of at most 500 characters`;
const TIME_RULE = 'must be a number of seconds since 1970';

const header = z.looseObject({ alg: z.literal('HS256'), crit: z.undefined().optional() });

const claims = z.object({
  sub: text(1, 255).refine((value) => !isLikeToken(value), { error: 'must not be a part of a token' }),
  exp: z.number({ error: TIME_RULE }),
  nbf: z.number({ error: TIME_RULE }).optional(),
  name: text(0, 100).optional(),
  ...visitorUpdate.shape,
  fields: z
    .record(customField.shape.name, customField.shape.value, { error: FIELDS_RULE })
    .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, { error: FIELDS_RULE })
    .optional(),
});

/** What a website has signed about a visitor. */
export interface Identity {
  readonly externalId: string;
  readonly details: VisitorUpdate;
  readonly fields: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Throws if the token is not valid at this time, in epoch milliseconds. */
  requireValidAt(now: number): void;
}

/**
 * Verifies a JWT that the website's server signed with HMAC-SHA256. Reads nothing of it before that, and accepts no
 * other algorithm: the header is chosen by who made the token.
 */
export function verifyIdentityToken(token: string, secret: string, inputName: 'identity' | 'token'): Identity {
  const [, headerPart = '', claimsPart = '', signature = ''] =
    token.length <= MAX_TOKEN_LENGTH ? (COMPACT_TOKEN.exec(token) ?? []) : [];
  const expected = createHmac('sha256', secret).update(`${headerPart}.${claimsPart}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new DomainError(
      'forbidden',
      "The identity token is not a JWT signed with HS256 and the website's identitySecret.",
    );
  if (!header.safeParse(parsePart(headerPart)).success)
    throw new DomainError('forbidden', 'The identity token must have the algorithm HS256, and no critical extensions.');
  const parsed = claims.safeParse(parsePart(claimsPart));
  if (!parsed.success)
    throw invalid(
      parsed.error.issues.map(({ path, message }) => ({
        ...{ path: [inputName, ...(path as (string | number)[])], code: 'invalid' as const },
        rule: message,
      })),
    );
  const { sub, exp, nbf, name, fields, ...details } = parsed.data;
  return {
    externalId: sub,
    details: toDetails(details, name),
    fields: fields && Object.entries(fields).map(([fieldName, value]) => ({ name: fieldName, value })),
    requireValidAt: (now) => requireValidity(exp, nbf, now),
  };
}

/**
 * Whether an identifier has the form of a token's header and claims. Someone who chooses such a name wants it to be
 * signed as a token.
 */
export function isLikeToken(externalId: string): boolean {
  const [first = '', ...others] = externalId.split('.');
  const parsed = others.length > 0 ? parsePart(first) : undefined;
  return typeof parsed === 'object' && parsed !== null;
}

/** A whole name is not split, because names differ too much: it is shown as the first name. */
function toDetails(details: VisitorUpdate, name: string | undefined): VisitorUpdate {
  const isNamed = details.firstname !== undefined || details.lastname !== undefined;
  const names = name === undefined || isNamed ? {} : { firstname: name, lastname: '' };
  const given = Object.entries(details).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...names };
}

export function listDetailNames(details: VisitorUpdate): string[] {
  return PROFILE_FIELDS.filter((name) => details[name] !== undefined);
}

/** Clocks of servers differ a little. */
const LEEWAY_SECONDS = 60;

function requireValidity(exp: number, nbf: number | undefined, now: number): void {
  const seconds = now / 1000;
  if (exp <= seconds) throw new DomainError('forbidden', 'The identity token has expired.');
  if (nbf !== undefined && nbf > seconds + LEEWAY_SECONDS)
    throw new DomainError('forbidden', 'The identity token is not valid yet.');
  if (exp > seconds + MAX_VALIDITY_DAYS * 86_400)
    throw new DomainError('forbidden', `The identity token must expire within ${MAX_VALIDITY_DAYS} days.`);
}

function parsePart(part: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url')));
  } catch {
    return undefined;
  }
}
