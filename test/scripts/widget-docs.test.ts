import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { widgetUpdate } from '../../src/core/directory/widget.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const page = read('docs/widget.md');
const loader = read('web/widget/loader.ts');
const widget = globSync('web/widget/**/*.{ts,tsx}', { cwd: ROOT }).map(read).join('\n');

const section = (text: string, title: string) =>
  text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
const unique = (names: readonly string[]) => [...new Set(names)].sort();
/** The names in the first column of the tables. */
const listNames = (text: string, pattern: RegExp) =>
  unique(
    [...text.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(pattern)].map(([, name = '']) => name),
    ),
  );
const listMatches = (text: string, pattern: RegExp) => unique([...text.matchAll(pattern)].map(([, name = '']) => name));

suite('the page about the widget names', () => {
  test('every attribute of the script tag', () => {
    const [, members = ''] = loader.match(/interface TagSettings \{(.*?)^\}/ms) ?? [];
    assert.deepEqual(
      listNames(section(page, 'Settings'), /`data-(\w+)`/g),
      listMatches(`${members}\n${loader}`, /(?:readonly |dataset\.(?!side))(\w+)/g),
    );
  });

  test('every call', () => {
    const [, members = ''] = loader.match(/interface SwitchboardApi \{(.*?)^\}/ms) ?? [];
    assert.deepEqual(listNames(page, /`Switchboard\.(\w+)\(/g), listMatches(members, /^ {2}(\w+)\(/gm));
  });

  test('every event', () => {
    const [, events = ''] = page.split('| Event | When |');
    assert.deepEqual(
      listNames(events.split('\n\n')[0] ?? '', /`(\w+)`/g),
      unique([...listMatches(widget, /emit\('(\w+)'/g), ...listMatches(widget, /emit\(\w+ \? '(\w+)'/g), 'close']),
    );
  });

  test('every detail of an identity', () => {
    const [, details = ''] = read('web/widget/panel/conversation/visitor.ts').match(/DETAILS = \[(.*?)\]/) ?? [];
    assert.deepEqual(
      listNames(section(page, 'Say who the visitor is'), /[{,] (\w+)(?=[ ,])/g),
      unique([...listMatches(details, /'(\w+)'/g), 'externalId', 'identity', 'signature']),
    );
  });
});

test('the page about the settings of the widget names every setting', () => {
  const settings = section(read('docs/widget-settings.md'), 'Look and behaviour');
  assert.deepEqual(listNames(settings, /`(\w+)`/g), Object.keys(widgetUpdate.shape).sort());
});
