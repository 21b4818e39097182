// Fails on words that this project replaced with plain ones: in code, comments, schema descriptions and docs.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly word: string;
  readonly replacement: string;
}

/** Phrases and identifiers that must not come back, each with its replacement. */
const REPLACED_PHRASES: readonly (readonly [phrase: string, replacement: string])[] = [
  ['somebody', 'the noun (an operator, a caller), or "someone"'],
  ['nobody', '"no operator", "no client", or "no one"'],
  ['whoever', '"the operator who", or "anyone who"'],
  ['everybody', '"every operator", or "everyone"'],
  ['anybody', '"any operator", or "anyone"'],
  ['mend(?:s|ed|ing)?', 'fix, correct, repair'],
  ['worth nothing', '"is not accepted", "is not valid"'],
  ['of their own', 'separate, or "their own …"'],
  ['(?:if|when) nothing is said', '"defaults to …"'],
  ['is too much', 'a limit, by its name'],
  ['already known to you', '"identify returning visitors"'],
  ['what happens meanwhile', '"receive events"'],
  ['in our words', 'translated'],
  ['themself', '"the operator", or "themselves"'],
  ['allPowerful', 'fullAccessCaller'],
  ['comingBy', 'withOrigin'],
  ['maySame', 'hasSamePermissions'],
  ['Clockwork', 'Scheduler'],
  ['leaveBehind', 'release'],
  ['takeUp', 'resume'],
  ['giveUp', 'requeueAbandoned, or abort'],
  ['inOurWords', 'translateError'],
  ['AlreadyThere', 'UniqueViolation'],
  ['TooLate', 'DeadlineExceeded'],
  ['withPatience', 'retryWhileStarting'],
  [
    '(?:function|const|class|interface|type) (?:brought|By|Door|named|placed|slowly|Standing)',
    'a name that says what it is',
  ],
];

/** Matches a phrase across line breaks and comment markers, and a word inside a camelCase or UPPER_CASE name. */
function toPattern(phrase: string): RegExp {
  const allowLineBreaks = (text: string) => text.replaceAll(' ', '[\\s*/#>|]+');
  if (phrase.startsWith('(?:function')) return new RegExp(`\\b${allowLineBreaks(phrase)}\\b`, 'g');
  const capitalized = phrase.replace(/^[a-z]/, (first) => first.toUpperCase());
  const forms = [`(?<![A-Za-z])(?:${allowLineBreaks(phrase)})`, `(?:${allowLineBreaks(capitalized)})`].map(
    (form) => `${form}(?![a-z])`,
  );
  return new RegExp([...forms, `\\b${phrase.toUpperCase()}\\b`].join('|'), 'g');
}

const PATTERNS = REPLACED_PHRASES.map(([phrase, replacement]) => ({ pattern: toPattern(phrase), replacement }));

const FILES = [
  '{src,test,bench,simulate,scripts}/**/*.{ts,mjs}',
  'web/**/*.{html,css,js,ts,tsx}',
  'docs/**/*.{md,json,graphql}',
  'deploy/**/*.{yaml,cfg,json,env}',
  '*.md',
  '*.yaml',
  '{Dockerfile,.ci/run}',
];

/** Alerts that users have configured, and a stored reason of refusals. */
const ALLOWED_NAMES = [
  'SwitchboardNobodyThere',
  'SwitchboardClockworkStopped',
  'SwitchboardClockworkBehind',
  'nobody_could',
];

/** This list, and the test that uses its words. */
const EXCLUDED_FILES = ['scripts/words.ts', 'test/scripts/words.test.ts'];

/** Finds every replaced word in the project. */
export function findReplacedWords(root: string): Finding[] {
  return FILES.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules'] }))
    .filter((file) => !EXCLUDED_FILES.includes(file))
    .flatMap((file) => findWords(file, removeAllowedNames(readFileSync(join(root, file), 'utf8'))));
}

function removeAllowedNames(text: string): string {
  return ALLOWED_NAMES.reduce((rest, name) => rest.replaceAll(name, ''), text);
}

function findWords(file: string, text: string): Finding[] {
  return PATTERNS.flatMap(({ pattern, replacement }) =>
    [...text.matchAll(pattern)].map(({ 0: word, index }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      word,
      replacement,
    })),
  );
}

if (import.meta.main) {
  const found = findReplacedWords(process.cwd());
  for (const { file, line, word, replacement } of found) console.error(`${file}:${line}: "${word}" → ${replacement}`);
  if (found.length > 0) process.exitCode = 1;
}
