import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** The examples that the recipes follow through the source. */
const EXAMPLES: Readonly<Record<string, RegExp>> = {
  'Add a field to the operator': /\b(?:videoPriority|video_priority)\b/,
  'Add an event': /\bsatisfaction\.answered\b/,
  'Add a text to the widget': /\bsurveyLow\b/,
  'Add a setting to the widget': /\bwhenUnavailable\b/,
  'Add a table': /\b(?:visitorWebsites|visitor_websites)\b/,
};

const sections = new Map(
  readFileSync(join(ROOT, 'docs/recipes.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);
const sources = globSync('{src,web}/**/*.{ts,tsx}', { cwd: ROOT });

suite('recipes', () => {
  for (const [title, example] of Object.entries(EXAMPLES)) {
    test(`"${title}" lists every source file that mentions its example`, () => {
      const section = sections.get(title) ?? '';
      const listed = new Set([...section.matchAll(/`((?:src|web)\/[\w/.-]+\.tsx?)`/g)].map(([, file]) => file));
      const touched = sources.filter((file) => example.test(readFileSync(join(ROOT, file), 'utf8')));
      assert.ok(touched.length >= 4, 'the example is in the source');
      assert.deepEqual(touched.filter((file) => !listed.has(file)).sort(), []);
    });
  }
});
