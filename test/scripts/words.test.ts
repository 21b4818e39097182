import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findReplacedWords } from '../../scripts/words.ts';

/** Writes a project of these files and returns the findings as `file:line word`. */
function findIn(files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'switchboard-words-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return findReplacedWords(root).map(({ file, line, word }) => `${file}:${line} ${word.replaceAll(/\s+/g, ' ')}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

test('replaced words are found in code, comments, names, docs, pages and schema descriptions', () => {
  const found = findIn({
    'src/core/a.ts':
      '// Whoever waits\nconst NOBODY = 1;\nfunction tellNobody() {}\nclass Clockwork {}\nstartClockwork(takeUpOptions);\n',
    'test/b.test.ts': "test('mended by somebody', () => placed(1));\nfunction placed() {}\n",
    'docs/api/schema.graphql': '"""\nA token of\ntheir own\n"""\n',
    'docs/page.md': 'It is worth\nnothing.\n\n## How much is too much\n',
    'web/index.html': '<p>Ask anybody.</p>\n',
    'deploy/rules.yaml': '# everybody\n',
  });
  assert.deepEqual(found.sort(), [
    'deploy/rules.yaml:1 everybody',
    'docs/api/schema.graphql:2 of their own',
    'docs/page.md:1 worth nothing',
    'docs/page.md:4 is too much',
    'src/core/a.ts:1 Whoever',
    'src/core/a.ts:2 NOBODY',
    'src/core/a.ts:3 Nobody',
    'src/core/a.ts:4 Clockwork',
    'src/core/a.ts:5 Clockwork',
    'src/core/a.ts:5 takeUp',
    'test/b.test.ts:1 mended',
    'test/b.test.ts:1 somebody',
    'test/b.test.ts:2 function placed',
    'web/index.html:1 anybody',
  ]);
});

test('words that only look alike are accepted', () => {
  const found = findIn({
    'src/a.ts': 'const someBody = amend(recommended);\nconst takeUpdate = 1; // a message placed by name\n',
  });
  assert.deepEqual(found, []);
});

test('installed packages are not searched', () => {
  assert.deepEqual(findIn({ 'scripts/tools/node_modules/package/index.d.ts': '// whoever\n' }), []);
});
