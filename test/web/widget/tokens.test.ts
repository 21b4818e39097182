import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const WEB = join(import.meta.dirname, '../../../web');

/** Values by name, with lengths in pixels. The first one counts: later ones are for other sizes of screens. */
function readTokens(patterns: string): Map<string, string> {
  const tokens = new Map<string, string>();
  for (const file of globSync(patterns, { cwd: WEB }).sort()) {
    const text = readFileSync(join(WEB, file), 'utf8').replace(/\/\*.*?\*\//gs, '');
    for (const [, name = '', value = ''] of text.matchAll(/(--[\w-]+):\s*([^;]+);/g)) {
      const pixels = value.replace(/([\d.]+)rem/g, (_, rem) => `${Number(rem) * 16}px`);
      if (!tokens.has(name))
        tokens.set(
          name,
          pixels.replace(/\s+/g, ' ').replace(/\( | \)/g, (text) => text.trim()),
        );
    }
  }
  return tokens;
}

test('the tokens of the widget have the values of all pages, except what follows the website’s colour', () => {
  const shared = readTokens('shared/styles/tokens/*.css');
  const derived = new Set(['--accent', '--on-accent', '--accent-hover', '--bubble-own', '--on-bubble-own']);
  const common = [...readTokens('widget/**/*.css')].filter(([name]) => shared.has(name) && !derived.has(name));
  assert.ok(common.length > 35, `only ${common.length} are common`);
  assert.deepEqual(Object.fromEntries(common), Object.fromEntries(common.map(([name]) => [name, shared.get(name)])));
});
