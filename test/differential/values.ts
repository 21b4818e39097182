import type { Dice } from './dice.ts';

const LETTERS = ['a', 'A', 'b', 'B', 'z', 'é', 'É', 'ß', 'ẞ', 'SS', 'İ', 'ı', 'Σ', 'ς', 'Ж', '😀', '%', '_', '\\', "'"];
const MORE_LETTERS = ['"', ' ', '-', ',', '1', '*', 'ﬀ', '中', 'é', '\u200b', '$1', '?', ':x', '\n', '�'];
const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'null',
  '0',
  'NaN',
  '   a',
  'a'.repeat(255),
  'é'.repeat(256),
];
const LANGUAGES = ['en', 'fr', 'de', 'es', 'zh', 'EN', 'xx', ''];
const MOMENT = Date.UTC(2026, 0, 15, 12);
const DAY = 86_400_000;

/** Mostly what there is: things are numbered from 1. Sometimes what never was. */
export function someId(dice: Dice): string {
  return dice.weighted([
    [60, () => String(dice.between(1, 4))],
    [30, () => String(dice.between(1, 12))],
    [4, () => String(dice.between(1, 200))],
    [
      2,
      () =>
        dice.pick(['0', '-1', '01', '1.5', 'x', '', '9007199254740991', '9007199254740992', '99999999999999999999']),
    ],
  ])();
}

/** A filter on identifiers: one, several, a pattern. */
export function idPattern(dice: Dice): string {
  return dice.weighted([
    [4, () => someId(dice)],
    [3, () => Array.from({ length: dice.between(1, 4) }, () => someId(dice)).join(',')],
    [4, () => dice.pick(['*', '1*', '*1', '2*', '*0', '1*1', '**', '*2*', '9*', '0*', 'x*'])],
  ])();
}

/** Letters on which databases disagree: cases, accents, signs with a meaning in patterns. */
export function someText(dice: Dice): string {
  if (dice.chance(0.06)) return dice.pick(ODD_TEXTS);
  if (dice.chance(0.3))
    return dice.pick(['Anna', 'anna', 'ANNA', 'Émile', 'émile', 'Straße', 'STRASSE', '100%', 'a_b', 'a\\b']);
  const letters = dice.chance(0.7) ? LETTERS : [...LETTERS, ...MORE_LETTERS];
  return Array.from({ length: dice.between(1, 6) }, () => dice.pick(letters)).join('');
}

/** A filter on text, with its wildcard here and there. */
/** Names of visitors are hexadecimal and another one on each side: all match, or none does. */
export function visitorPattern(dice: Dice): string {
  return dice.pick(['*', '**', '*-*', 'x*', '', 'é', '%', '*_']);
}

export function textPattern(dice: Dice): string {
  const text = dice.chance(0.4) ? dice.pick(['a', 'A', 'é', 'S', 'ss', 'person1', '%', '_', '\\', '']) : someText(dice);
  return dice.weighted([
    [3, text],
    [3, `${text}*`],
    [2, `*${text}`],
    [2, `*${text}*`],
    [1, `${text}*${text}`],
    [1, '*'],
  ]);
}

/** Few enough to meet each other, in several spellings. */
export function someEmail(dice: Dice): string {
  const number = dice.between(1, 14);
  return dice.weighted([
    [8, `person${number}@example.com`],
    [2, `PERSON${number}@Example.com`],
    [1, `é${number}@example.com`],
    [1, `a_${number}%@example.com`],
    [0.5, 'not an address'],
    [0.5, `${'x'.repeat(300)}@example.com`],
  ]);
}

export function someLanguage(dice: Dice): string {
  return dice.chance(0.85) ? dice.pick(['en', 'en', 'fr']) : dice.pick(LANGUAGES);
}

/** Around the time of the sequence, mostly a little before or after what happened. */
export function someMoment(dice: Dice): number {
  return dice.weighted([
    [4, () => MOMENT + dice.between(-2, 40) * 60_000],
    [5, () => MOMENT + dice.between(-5, 5) * DAY],
    [1, () => MOMENT + dice.between(-1000, 2_000_000)],
    [1, () => MOMENT - 300 * DAY],
  ])();
}

export function someUrl(dice: Dice): string {
  const host = dice.pick(['shop', 'SHOP', 'help', 'straße', 'xn--bcher-kva', 'bücher', 'a_b']);
  return `${dice.pick(['https', 'https', 'http', 'ftp'])}://${host}${dice.between(1, 6)}.example${dice.pick(['', '/', '/a%20b', '/é?x=1'])}`;
}
