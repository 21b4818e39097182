import { type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import { EVENT_TYPES } from '../../src/core/webhooks/event-types.ts';
import type { Random } from './random.ts';
import {
  randomEmail,
  randomId,
  randomIdPattern,
  randomLanguage,
  randomText,
  randomTextPattern,
  randomTime,
  randomUrl,
  randomVisitorPattern,
} from './values.ts';

/** The argument or field for a value. Its name determines which values are likely to be valid. */
interface ValueTarget {
  readonly name: string;
  /** Filters accept patterns. */
  readonly isFilter: boolean;
}

/** A random value for an argument or input field; undefined omits it. */
export function randomValue(random: Random, type: GraphQLInputType, target: ValueTarget): unknown {
  if (isNonNullType(type)) return randomNonNull(random, type.ofType, target);
  if (random.chance(0.05)) return null;
  return random.chance(target.isFilter ? 0.25 : 0.4) ? randomNonNull(random, type, target) : undefined;
}

function randomNonNull(random: Random, type: GraphQLInputType, target: ValueTarget): unknown {
  if (isNonNullType(type)) return randomNonNull(random, type.ofType, target);
  if (isListType(type))
    return Array.from({ length: random.between(0, 3) }, () => randomNonNull(random, type.ofType, target));
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (isInputObjectType(type)) {
    const isFilter = target.isFilter || type.name.endsWith('Filter');
    const fields = Object.values(type.getFields());
    const entries = fields.map(({ name, type }) => [name, randomValue(random, type, { name, isFilter })] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  return randomScalar(random, String(type), target);
}

function randomScalar(random: Random, type: string, target: ValueTarget): unknown {
  const { name } = target;
  if (type === 'Boolean') return random.chance(0.6);
  if (type === 'ID') return randomId(random);
  if (type === 'DateTime') return new Date(randomTime(random)).toISOString();
  if (type === 'Int' || type === 'Float') return randomNumber(random, name);
  return target.isFilter ? randomPattern(random, name) : randomString(random, name);
}

function randomNumber(random: Random, name: string): number {
  if (name === 'ttlSeconds') return random.pick([15, 30, 60, 300, 0]);
  if (name === 'queueLimit') return random.pick([0, 1, 3, 100]);
  if (name === 'offerSeconds') return random.pick([5, 15, 30, 60, 0]);
  if (name.endsWith('Priority')) return random.pick([0, 10]);
  if (['welcome', 'resolution', 'delay'].includes(name)) return random.between(0, 6);
  return random.pickWeighted([
    [8, random.between(1, 5)],
    [2, random.between(0, 20)],
    [1, random.pick([0, -1, 100, 101, 2147483647])],
  ]);
}

function randomPattern(random: Random, name: string): string {
  if (name === 'language') return randomLanguage(random);
  if (name === 'uniqueId') return randomVisitorPattern(random);
  if (/^(name|email|label|url|externalId)$/.test(name)) return randomTextPattern(random);
  if (name === 'types') return random.pick(EVENT_TYPES);
  if (name === 'subjectType') return random.pick(['operator', 'conversation', 'skill', 'website', 'nothing']);
  return randomIdPattern(random);
}

function randomString(random: Random, name: string): string {
  if (name === 'email') return randomEmail(random);
  if (name === 'after' || name === 'before') return Buffer.from(`id:${randomId(random)}`).toString('base64url');
  if (name === 'language' || name === 'languageList') return randomLanguage(random);
  if (name === 'languageAdmin') return random.pick(['en', 'fr', 'it']);
  if (name === 'clientId') return `client-${random.between(1, 5)}`;
  if (name === 'url') return randomUrl(random);
  if (name === 'allowedOrigins') return new URL(randomUrl(random)).origin;
  if (name === 'externalId') return random.chance(0.8) ? `EXT-${random.between(1, 6)}` : randomText(random);
  if (name === 'eventTypes')
    return random.chance(0.7) ? random.pick(EVENT_TYPES) : random.pick(['conversation.*', '*', 'x']);
  if (name === 'type') return random.pick(['ANSWER_FROM_DESK', 'ANSWER_FROM_PHONE', 'x']);
  if (name === 'phoneNumber') return random.pick(['+33123456789', '+4930123456', '12']);
  if (name === 'from' || name === 'to') return random.pick(['00:00', '09:00', '17:30', '24:00', '9:00']);
  if (name === 'date') return random.pick(['2026-12-24', '2026-12-25', '2026-02-29']);
  if (name === 'accentColor') return random.pick(['#1d4ed8', '#000000', '#ffff00', 'blue']);
  if (name === 'key') return random.pick(['title', 'greeting', 'typing', 'x']);
  if (name === 'timezone') return random.pick(['UTC', 'Europe/Paris', 'Nowhere']);
  if (name === 'currency') return random.pick(['EUR', 'USD', 'eur']);
  if (name.toLowerCase().includes('password')) return random.pick(['short', '', 'password']); // hashing a valid password is slow
  return randomText(random);
}
