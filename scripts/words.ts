// Fails on words that this project replaced with plain ones: in code, comments, schema descriptions and docs.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

/** Phrases and identifiers that must not come back, each with its replacement. */
const REPLACED: readonly (readonly [phrase: string, instead: string])[] = [
  ['somebody', 'the noun (an operator, a caller), or "someone"'],
  ['nobody', '"no operator", "no client", or "no one"'],
  ['whoever', '"the operator who", or "anyone who"'],
  ['everybody', '"every operator", or "everyone"'],
  ['anybody', '"any operator", or "anyone"'],
  ['mend(?:s|ed|ing)?', 'fix, correct, repair'],
  ['worth nothing', '"is not accepted", "is not valid"'],
  ['of their own', 'separate, or "their own …"'],
  ['(?:if|when) nothing is said', '"defaults to …"'],
  ['too much is', 'limit'],
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
  const spaced = (text: string) => text.replaceAll(' ', '[\\s*/#>|]+');
  if (/[A-Z]/.test(phrase)) return new RegExp(`\\b(?:${spaced(phrase)})\\b`, 'g');
  const title = phrase.replace(/^[a-z]/, (first) => first.toUpperCase());
  return new RegExp(
    `(?<![A-Za-z])(?:${spaced(phrase)})(?![a-z])|(?:${spaced(title)})(?![a-z])|\\b${phrase.toUpperCase()}\\b`,
    'g',
  );
}

const PATTERNS = REPLACED.map(([phrase, instead]) => ({ pattern: toPattern(phrase), instead }));

const FILES = [
  '{src,test,bench,simulate,scripts}/**/*.{ts,mjs}',
  'web/**/*.{html,css,js,ts,tsx}',
  'docs/**/*.{md,json,graphql}',
  'deploy/**/*.{yaml,cfg,json,env}',
  '*.md',
  'Dockerfile',
];

/** An alert that users have configured, and a stored reason of refusals. */
const ALLOWED = ['SwitchboardNobodyThere', 'nobody_could'];

/** This list, and the test that plants its words. */
const EXCEPT = ['scripts/words.ts', 'test/scripts/words.test.ts'];

/** Every line of the project that holds a replaced word. */
export function findReplacedWords(root: string): Finding[] {
  return FILES.flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !EXCEPT.includes(file))
    .flatMap((file) => findWords(file, withoutAllowed(readFileSync(join(root, file), 'utf8'))));
}

function withoutAllowed(text: string): string {
  return ALLOWED.reduce((rest, name) => rest.replaceAll(name, ''), text);
}

function findWords(file: string, text: string): Finding[] {
  return PATTERNS.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: word, index }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      word,
      instead,
    })),
  );
}

if (import.meta.main) {
  const found = findReplacedWords(process.cwd());
  for (const { file, line, word, instead } of found) console.error(`${file}:${line}: "${word}" → ${instead}`);
  if (found.length > 0) process.exitCode = 1;
}
