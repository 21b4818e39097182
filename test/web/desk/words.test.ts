import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const DESK = join(import.meta.dirname, '../../../web/desk');
/** Another word for an operator than the one that the pages of this language use. */
const OTHER_WORDS = { de: /'[^']*\bOperator(s|en)?\b/, es: /\boperador/i, fr: /\bopérateur/i };

for (const [language, other] of Object.entries(OTHER_WORDS)) {
  test(`the desk has one word for an operator in ${language}`, () => {
    const files = globSync(`**/texts/${language}.ts`, { cwd: DESK });
    assert.ok(files.length > 4);
    const found = files.flatMap((file) =>
      readFileSync(join(DESK, file), 'utf8')
        .split('\n')
        .filter((line) => other.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    assert.deepEqual(found, []);
  });
}
