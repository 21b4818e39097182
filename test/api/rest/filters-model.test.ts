import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { assertInvalidField } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, listIds } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const RUNS = process.env.FULL === '1' ? 150 : 60;
const LETTERS = ['a', 'b', 'A', 'B', '%', '_', '\\', 'ß', 'S', 'σ', 'ς', 'Σ', 'ж', 'Ж', 'İ', 'i', '\u0307', '😀'];

let switchboard: Switchboard;
let rest: RestClient;
const names = new Map<number, string>();
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  const arbitrary = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 7 });
  for (const name of fc.sample(arbitrary, { numRuns: 90, seed: 7 })) {
    names.set((await createOperator(rest, { name })).id, name);
  }
  names.set(1, (await rest.get('/operator/1')).body.data.name);
});
after(() => switchboard.stop());

/** The simplest implementation of the rule: ignores case, `*` matches any characters, all else matches itself. */
function matches(pattern: string, name: string): boolean {
  const text = caseless(name);
  const visit = (parts: readonly string[], from: number): boolean => {
    const [part = '', ...rest] = parts;
    if (rest.length === 0) return text.length - part.length >= from && text.endsWith(part);
    for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + 1)) {
      if (visit(rest, at + part.length)) return true;
      if (part === '') break;
    }
    return false;
  };
  const parts = pattern.split('*').map(caseless);
  const [first = '', ...otherParts] = parts;
  if (otherParts.length === 0) return text === first;
  return text.startsWith(first) && visit(otherParts, first.length);
}

/** Folds letter by letter, so that the model does not share the implementation of the service. */
function caseless(text: string): string {
  const same: Record<string, string> = { A: 'a', B: 'b', S: 's', ß: 'ss', ς: 'σ', Σ: 'σ', Ж: 'ж', İ: 'i\u0307' };
  return [...text].map((letter) => same[letter] ?? letter.toLowerCase()).join('');
}

test('the model handles simple cases correctly', () => {
  assert.ok(matches('a*', 'ABBA'));
  assert.ok(matches('*b*a', 'ABBA'));
  assert.ok(matches('**', ''));
  assert.ok(!matches('a*a', 'A'));
  assert.ok(!matches('%', 'a'));
  assert.ok(matches('s*', 'ß'));
});

test('any pattern on a name returns the same list as the model', async () => {
  const pattern = fc
    .string({ unit: fc.constantFrom(...LETTERS, '*', '*', '*', '*'), minLength: 0, maxLength: 8 })
    .filter((text) => text.split('*').length <= 6);
  await fc.assert(
    fc.asyncProperty(pattern, async (text) => {
      const expected = [...names].filter(([, name]) => matches(text, name)).map(([id]) => id);
      const ids = await listIds(rest, `/operator?filters[name]=${encodeURIComponent(text)}`);
      assert.deepEqual(
        ids,
        expected.sort((a, b) => b - a),
      );
    }),
    { numRuns: RUNS },
  );
});

test('any pattern on an identifier returns the same list as the model', async () => {
  const pattern = fc.string({ unit: fc.constantFrom('*', '*', '1', '2', '9', '0'), minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(pattern, async (text) => {
      const path = `/operator?filters[id]=${text}`;
      if (!text.includes('*') && (text.startsWith('0') || text === '')) {
        assertInvalidField(await rest.get(path), 'filters[id]');
        return;
      }
      const expected = [...names.keys()].filter((id) => matches(text, String(id)));
      assert.deepEqual(
        await listIds(rest, path),
        expected.sort((a, b) => b - a),
      );
    }),
    { numRuns: Math.ceil(RUNS / 2) },
  );
});
