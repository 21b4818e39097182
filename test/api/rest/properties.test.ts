import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { HttpError } from '../../../src/api/http/http-error.ts';
import { parseForm, readBody } from '../../../src/api/rest/body.ts';
import {
  readFilters,
  readListSelection,
  readPaging,
  readQuery,
  readSingleSelection,
} from '../../../src/api/rest/query.ts';
import { readInput } from '../../../src/api/rest/wire.ts';
import { profileUpdate } from '../../../src/core/administration/profile.ts';
import { groupCreate, groupUpdate, skillCreate, skillUpdate } from '../../../src/core/directory/tree.ts';
import { websiteCreate, websiteUpdate } from '../../../src/core/directory/website.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { matchesIdFilter, parseIdFilter, parseTextFilter } from '../../../src/core/kernel/filters.ts';
import { parseId } from '../../../src/core/kernel/ids.ts';
import { fold } from '../../../src/core/kernel/text.ts';
import { liveUpdate } from '../../../src/core/live/live.ts';
import { operatorCreate, operatorUpdate } from '../../../src/core/operators/operator.ts';
import { anyCharacter } from '../../support/fixtures/any-character.ts';

const RUNS = process.env.FULL === '1' ? 300 : 100;
const MAX_CPU_MS = 1000;

const SCHEMAS = {
  operatorCreate,
  operatorUpdate,
  liveUpdate,
  profileUpdate,
  websiteCreate,
  websiteUpdate,
  groupCreate,
  groupUpdate,
  skillCreate,
  skillUpdate,
};

const pristine = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));
afterEach(() => {
  assert.equal(JSON.stringify(Object.getOwnPropertyNames(Object.prototype)), pristine);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

/** Returns the value, or undefined after an expected error. Fails on any other error, or when it takes too long. */
function runExpectingKnownErrors<T>(work: () => T): T | undefined {
  const started = process.threadCpuUsage(); // processor time: the machine may be busy with other tests
  try {
    return work();
  } catch (error) {
    assert.ok(error instanceof DomainError || error instanceof HttpError, `threw ${error}`);
    return undefined;
  } finally {
    const { user, system } = process.threadCpuUsage(started);
    assert.ok(user + system < MAX_CPU_MS * 1000, 'too slow');
  }
}

const NAMES = ['name', 'filters', 'page', 'limit', 'fields', 'full', 'key', 'call_config', 'website_list', 'chat'];
const HOSTILE = ['__proto__', 'constructor', 'prototype', 'toString', 'polluted', 'length', '0', '4294967295'];
const nameLike = fc.oneof(fc.constantFrom(...NAMES, ...HOSTILE), fc.string({ maxLength: 5 }));
const textLike = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom('', '0', '1', 'true', '1e3', '01', '9007199254740993', '*', '1,2', '\0', '\ud800', '%', '%zz', '1*'),
);

/** From well-formed to completely malformed forms. */
const formLike = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: fc.constantFrom('[', ']', '=', '&', '%', '5', 'B', 'a', '+', ';', '.', ','), maxLength: 60 }),
  fc
    .array(fc.tuple(nameLike, fc.array(nameLike, { maxLength: 4 }), textLike), { maxLength: 8 })
    .map((pairs) =>
      pairs
        .map(([name, inner, value]) => `${name}${inner.map((part) => `[${part}]`).join('')}=${value.toWellFormed()}`)
        .join('&'),
    ),
);

test('parseForm returns a plain tree of strings, or refuses the form', () => {
  const isPlain = (value: unknown): boolean =>
    typeof value === 'string' ||
    value === true ||
    value === undefined ||
    (typeof value === 'object' && value !== null && Object.values(value).every(isPlain));
  fc.assert(
    fc.property(formLike, (text) => {
      const parsed = runExpectingKnownErrors(() => parseForm(text));
      if (parsed === undefined) return;
      assert.ok(isPlain(parsed), JSON.stringify(parsed));
      assert.ok(!JSON.stringify(parsed).includes('"__proto__":'));
    }),
    { numRuns: RUNS * 4 },
  );
});

test('parseForm decodes what URLSearchParams encodes', () => {
  const name = fc.stringMatching(/^[a-z_]{1,8}$/).filter((text) => text !== '__proto__');
  const value = fc.string({ unit: 'grapheme', maxLength: 20 });
  fc.assert(
    fc.property(fc.dictionary(name, value, { minKeys: 1, maxKeys: 5 }), (fields) => {
      assert.deepEqual({ ...parseForm(new URLSearchParams(fields).toString()) }, { ...fields });
    }),
    { numRuns: RUNS },
  );
});

const FILTERS = { id: { name: 'id', kind: 'id' }, name: { name: 'name', kind: 'text' } } as const;

test('every part of a query is parsed or refused', () => {
  fc.assert(
    fc.property(formLike, (text) => {
      const request = { raw: { url: `/api/2/operator?${text}` } } as FastifyRequest;
      const query = runExpectingKnownErrors(() => readQuery(request));
      if (query === undefined) return;
      const paging = runExpectingKnownErrors(() => readPaging(query));
      if (paging) {
        assert.ok(Number.isSafeInteger(paging.page) && paging.page >= 1);
        assert.ok(Number.isSafeInteger(paging.limit) && paging.limit >= 1 && paging.limit <= 100);
      }
      const filters = runExpectingKnownErrors(() => readFilters(query, FILTERS)) ?? {};
      assert.deepEqual(
        Object.keys(filters).filter((name) => name !== 'id' && name !== 'name'),
        [],
      );
      const listSelection = runExpectingKnownErrors(() => readListSelection(query)) ?? 'all';
      for (const selection of [listSelection, readSingleSelection(query)]) {
        assert.ok(selection === 'all' || selection instanceof Set);
      }
    }),
    { numRuns: RUNS * 4 },
  );
});

test('text and identifier filters are parsed or refused', () => {
  const value = fc.oneof(
    textLike,
    fc.string({ maxLength: 300 }),
    fc.string({ unit: fc.constantFrom('*', '1', ',', 'a', ' '), maxLength: 40 }),
  );
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 5000 }), (text, id) => {
      const asText = runExpectingKnownErrors(() => parseTextFilter(['x'], text));
      if (asText) assert.ok(text.length <= 255 && text.split('*').length <= 6);
      const asId = runExpectingKnownErrors(() => parseIdFilter(['x'], text));
      if (!asId) return;
      assert.match(text, /^[0-9*, \t\n\v\f\r\u00a0\ufeff\u2028\u2029\u1680\u2000-\u200a\u202f\u205f\u3000]+$/u);
      const expected = text.includes('*')
        ? new RegExp(`^${text.replaceAll('*', '.*')}$`).test(String(id))
        : text.split(',').some((part) => part.trim() === String(id));
      assert.equal(matchesIdFilter(id, asId), expected);
    }),
    { numRuns: RUNS * 4 },
  );
});

test('parseId accepts exactly the decimal notation of identifiers', () => {
  fc.assert(
    fc.property(fc.oneof(textLike, fc.maxSafeNat().map(String), fc.double().map(String)), (text) => {
      const id = parseId(text);
      if (id === undefined) assert.ok(!/^[1-9][0-9]*$/.test(text) || !Number.isSafeInteger(Number(text)));
      else assert.ok(String(id) === text && id >= 1 && Number.isSafeInteger(id));
    }),
    { numRuns: RUNS * 4 },
  );
});

/** Not assigned, for private use, or half of a pair: six of seven code points. */
const HAS_NO_MEANING = /[\p{Cn}\p{Co}\p{Cs}]/u;

test('fold ignores case for every character, alone or within text', () => {
  for (let point = 0; point < 0x110000; point++) {
    const letter = String.fromCodePoint(point);
    if (HAS_NO_MEANING.test(letter)) continue;
    const folded = fold(letter);
    assert.equal(fold(letter.toUpperCase()), folded, letter);
    assert.equal(fold(letter.toLowerCase()), folded, letter);
    assert.equal(fold(folded), folded, letter);
  }
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (a, b) => {
      assert.equal(fold(a + b), fold(a) + fold(b), 'otherwise a pattern would not match its own text');
    }),
    { numRuns: RUNS },
  );
});

/** Arbitrary JSON, with the field names of the schema among the keys. */
function bodyFor(schema: (typeof SCHEMAS)[keyof typeof SCHEMAS]) {
  const wire = Object.keys(schema.shape).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const inner = ['type', 'available', 'phone_number', 'ask_phone_number_at_every_connection'];
  const key = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...wire, ...inner) },
    { weight: 1, arbitrary: nameLike },
  );
  const leaf = fc.oneof(
    textLike,
    fc.jsonValue({ maxDepth: 1 }),
    fc.integer(),
    fc.constantFrom('ANSWER_FROM_PHONE', 'fr', '+33123456789'),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 6 }),
    ),
  }));
  return fc.dictionary(key, tree, { maxKeys: 8 });
}

for (const [name, schema] of Object.entries(SCHEMAS)) {
  test(`readInput with ${name}: only known fields, or a refusal`, () => {
    const known = new Set(Object.keys(schema.shape));
    fc.assert(
      fc.property(bodyFor(schema), (body) => {
        const input = runExpectingKnownErrors(() => readInput(schema, body));
        for (const field of Object.keys(input ?? {})) assert.ok(known.has(field), field);
        // Through JSON, as from the network, so that `__proto__` can be an own key.
        const sent = JSON.stringify(body);
        const request = { headers: { 'content-type': 'application/json' }, body: Buffer.from(sent) };
        runExpectingKnownErrors(() => readInput(schema, readBody(request as unknown as FastifyRequest)));
      }),
      { numRuns: RUNS },
    );
  });

  test(`readInput with ${name}: any bytes as JSON or as form`, () => {
    const media = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', undefined, 'text/plain', '');
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.json().map((text) => Buffer.from(text)),
      formLike.map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(media, bytes, (type, body) => {
        const request = { headers: type === undefined ? {} : { 'content-type': type }, body: Buffer.from(body) };
        runExpectingKnownErrors(() => readInput(schema, readBody(request as unknown as FastifyRequest)));
      }),
      { numRuns: RUNS },
    );
  });
}

test('a long list or many unknown names are refused quickly, with a limited number of problems', () => {
  const manyNames = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]));
  const bodies = [
    manyNames,
    { call_config: manyNames },
    { roles: ','.repeat(300_000) },
    { skill_list: Array(100_000).fill('x') },
  ];
  for (const body of bodies) {
    assert.throws(
      () => readInput(operatorUpdate, body),
      (error: DomainError) => (error.details.problems?.length ?? Number.POSITIVE_INFINITY) <= 100,
    );
    assert.equal(
      runExpectingKnownErrors(() => readInput(operatorUpdate, body)),
      undefined,
    );
  }
  assert.throws(() => readInput(groupUpdate, { operator_list: Array(20_000).fill('x') }), DomainError);
});
