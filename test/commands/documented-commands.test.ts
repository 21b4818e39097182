import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';

const PAGE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
});
after(() => switchboard.stop());

test('the commands for keys and operators work as documented, from top to bottom', async () => {
  const [, section = ''] = PAGE.match(/^## Keys and operators$([\s\S]*?)^## /m) ?? [];
  const lines = [...section.matchAll(/^npm run switchboard -- (.*?)(?: +#.*)?$/gm)].map(([, line = '']) => line);
  assert.ok(lines.length > 8, section);
  for (const line of lines) {
    const args = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
    const { code, stderr } = await switchboard.runCommand(args, 'a phrase that is hard to guess\n');
    assert.deepEqual([code, stderr], [0, ''], line);
  }
});

test('each command that prompts is in a block of its own: a prompt would read the next line', () => {
  const blocks = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text.trim().split('\n'));
  const prompts = blocks.filter((lines) =>
    lines.some((line) => /operator (create|password)|account create/.test(line)),
  );
  assert.equal(prompts.length, 3);
  for (const lines of prompts) assert.equal(lines.length, 1, lines.join('\n'));
});
