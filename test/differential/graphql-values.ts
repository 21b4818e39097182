import { type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import { EVENT_TYPES } from '../../src/core/webhooks/event-types.ts';
import type { Dice } from './dice.ts';
import {
  idPattern,
  someEmail,
  someId,
  someLanguage,
  someMoment,
  someText,
  someUrl,
  textPattern,
  visitorPattern,
} from './values.ts';

/** Where a value goes: what it is called decides what is likely to be accepted. */
interface Place {
  readonly name: string;
  /** Filters take patterns. */
  readonly isFilter: boolean;
}

/** A value for an argument or a field of an input; undefined leaves it out. */
export function someValue(dice: Dice, type: GraphQLInputType, place: Place): unknown {
  if (isNonNullType(type)) return present(dice, type.ofType, place);
  if (dice.chance(0.05)) return null;
  return dice.chance(place.isFilter ? 0.25 : 0.4) ? present(dice, type, place) : undefined;
}

function present(dice: Dice, type: GraphQLInputType, place: Place): unknown {
  if (isNonNullType(type)) return present(dice, type.ofType, place);
  if (isListType(type)) return Array.from({ length: dice.between(0, 3) }, () => present(dice, type.ofType, place));
  if (isEnumType(type)) return dice.pick(type.getValues()).name;
  if (isInputObjectType(type)) {
    const isFilter = place.isFilter || type.name.endsWith('Filter');
    const fields = Object.values(type.getFields());
    const entries = fields.map(({ name, type }) => [name, someValue(dice, type, { name, isFilter })] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  return someScalar(dice, String(type), place);
}

function someScalar(dice: Dice, type: string, place: Place): unknown {
  const { name } = place;
  if (type === 'Boolean') return dice.chance(0.6);
  if (type === 'ID') return someId(dice);
  if (type === 'DateTime') return new Date(someMoment(dice)).toISOString();
  if (type === 'Int' || type === 'Float') return someNumber(dice, name);
  return place.isFilter ? somePattern(dice, name) : someString(dice, name);
}

function someNumber(dice: Dice, name: string): number {
  if (name === 'ttlSeconds') return dice.pick([15, 30, 60, 300, 0]);
  if (name === 'queueLimit') return dice.pick([0, 1, 3, 100]);
  if (name === 'offerSeconds') return dice.pick([5, 15, 30, 60, 0]);
  if (name.endsWith('Priority')) return dice.pick([0, 10]);
  if (['welcome', 'resolution', 'delay'].includes(name)) return dice.between(0, 6);
  return dice.weighted([
    [8, dice.between(1, 5)],
    [2, dice.between(0, 20)],
    [1, dice.pick([0, -1, 100, 101, 2147483647])],
  ]);
}

function somePattern(dice: Dice, name: string): string {
  if (name === 'language') return someLanguage(dice);
  if (name === 'uniqueId') return visitorPattern(dice);
  if (/^(name|email|label|url|externalId)$/.test(name)) return textPattern(dice);
  if (name === 'types') return dice.pick(EVENT_TYPES);
  if (name === 'subjectType') return dice.pick(['operator', 'conversation', 'skill', 'website', 'nothing']);
  return idPattern(dice);
}

function someString(dice: Dice, name: string): string {
  if (name === 'email') return someEmail(dice);
  if (name === 'after' || name === 'before') return Buffer.from(`id:${someId(dice)}`).toString('base64url');
  if (name === 'language' || name === 'languageList') return someLanguage(dice);
  if (name === 'languageAdmin') return dice.pick(['en', 'fr', 'it']);
  if (name === 'clientId') return `client-${dice.between(1, 5)}`;
  if (name === 'url') return someUrl(dice);
  if (name === 'allowedOrigins') return new URL(someUrl(dice)).origin;
  if (name === 'externalId') return dice.chance(0.8) ? `EXT-${dice.between(1, 6)}` : someText(dice);
  if (name === 'eventTypes') return dice.chance(0.7) ? dice.pick(EVENT_TYPES) : dice.pick(['conversation.*', '*', 'x']);
  if (name === 'type') return dice.pick(['ANSWER_FROM_DESK', 'ANSWER_FROM_PHONE', 'x']);
  if (name === 'phoneNumber') return dice.pick(['+33123456789', '+4930123456', '12']);
  if (name === 'timezone') return dice.pick(['UTC', 'Europe/Paris', 'Nowhere']);
  if (name === 'currency') return dice.pick(['EUR', 'USD', 'eur']);
  if (name.toLowerCase().includes('password')) return dice.pick(['short', '', 'password']); // a right one takes long
  return someText(dice);
}
