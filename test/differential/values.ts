import type { Random } from './random.ts';

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
const START_TIME = Date.UTC(2026, 0, 15, 12);
const DAY = 86_400_000;

/** Mostly existing ids, which count from 1; sometimes unknown or invalid ones. */
export function randomId(random: Random): string {
  return random.pickWeighted([
    [60, () => String(random.between(1, 4))],
    [30, () => String(random.between(1, 12))],
    [4, () => String(random.between(1, 200))],
    [
      2,
      () =>
        random.pick(['0', '-1', '01', '1.5', 'x', '', '9007199254740991', '9007199254740992', '99999999999999999999']),
    ],
  ])();
}

/** A filter on ids: one, several or a pattern. */
export function randomIdPattern(random: Random): string {
  return random.pickWeighted([
    [4, () => randomId(random)],
    [3, () => Array.from({ length: random.between(1, 4) }, () => randomId(random)).join(',')],
    [4, () => random.pick(['*', '1*', '*1', '2*', '*0', '1*1', '**', '*2*', '9*', '0*', 'x*'])],
  ])();
}

/** Characters that databases treat differently: case, accents, wildcards. */
export function randomText(random: Random): string {
  if (random.chance(0.06)) return random.pick(ODD_TEXTS);
  if (random.chance(0.3))
    return random.pick(['Anna', 'anna', 'ANNA', 'Émile', 'émile', 'Straße', 'STRASSE', '100%', 'a_b', 'a\\b']);
  const letters = random.chance(0.7) ? LETTERS : [...LETTERS, ...MORE_LETTERS];
  return Array.from({ length: random.between(1, 6) }, () => random.pick(letters)).join('');
}

/** Unique ids of visitors are hexadecimal and differ between the installations: the pattern matches all or none. */
export function randomVisitorPattern(random: Random): string {
  return random.pick(['*', '**', '*-*', 'x*', '', 'é', '%', '*_']);
}

/** A filter on text, with wildcards in various places. */
export function randomTextPattern(random: Random): string {
  const text = random.chance(0.4)
    ? random.pick(['a', 'A', 'é', 'S', 'ss', 'person1', '%', '_', '\\', ''])
    : randomText(random);
  return random.pickWeighted([
    [3, text],
    [3, `${text}*`],
    [2, `*${text}`],
    [2, `*${text}*`],
    [1, `${text}*${text}`],
    [1, '*'],
  ]);
}

/** Few enough to collide, in several spellings. */
export function randomEmail(random: Random): string {
  const number = random.between(1, 14);
  return random.pickWeighted([
    [8, `person${number}@example.com`],
    [2, `PERSON${number}@Example.com`],
    [1, `é${number}@example.com`],
    [1, `a_${number}%@example.com`],
    [0.5, 'not an address'],
    [0.5, `${'x'.repeat(300)}@example.com`],
  ]);
}

export function randomLanguage(random: Random): string {
  return random.chance(0.85) ? random.pick(['en', 'en', 'fr']) : random.pick(LANGUAGES);
}

/** Mostly shortly before or after the time of the sequence. */
export function randomTime(random: Random): number {
  return random.pickWeighted([
    [4, () => START_TIME + random.between(-2, 40) * 60_000],
    [5, () => START_TIME + random.between(-5, 5) * DAY],
    [1, () => START_TIME + random.between(-1000, 2_000_000)],
    [1, () => START_TIME - 300 * DAY],
  ])();
}

export function randomUrl(random: Random): string {
  const host = random.pick(['shop', 'SHOP', 'help', 'straße', 'xn--bcher-kva', 'bücher', 'a_b']);
  return `${random.pick(['https', 'https', 'http', 'ftp'])}://${host}${random.between(1, 6)}.example${random.pick(['', '/', '/a%20b', '/é?x=1'])}`;
}
