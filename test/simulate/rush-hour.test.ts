import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { spawnGuarded } from '../support/processes/guarded-processes.ts';

const MAIN = fileURLToPath(new URL('../../simulate/main.ts', import.meta.url));

function run(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawnGuarded(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk) => {
        texts[name] += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...texts }));
  });
}

/** A short version of `npm run rush-hour`, which runs for ten minutes. */
test('a rush hour of 6 seconds passes every check', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-rush-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = { json: join(folder, 'report.json'), page: join(folder, 'report.html') };
  const { code, stdout, stderr } = await run([
    ...['--duration', '6', '--operators', '6', '--arrival', 'rush:1.4', '--handling', '30', '--speed', '20'],
    ...[
      '--disconnect',
      '8',
      '--files',
      '0.4',
      '--leave',
      '0.4',
      '--offer-seconds',
      '5',
      '--seed',
      'rush-hour',
      '--json',
      files.json,
      '--report',
      files.page,
    ],
  ]);
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  const { checks, figures } = JSON.parse(readFileSync(files.json, 'utf8'));
  assert.equal(checks.length, 14);
  for (const { name, problems } of checks) assert.deepEqual(problems, [], name);
  t.diagnostic(
    `${figures.conversations.started} conversations, ${figures.offers.accepted} accepted, ${figures.messages.acknowledged} messages`,
  );
  assert.ok(figures.conversations.closed > 10, stdout);
  assert.ok(figures.offers.declined > 0, 'offers were declined');
  assert.ok(figures.streams.resumed > 0, 'streams were resumed');
  assert.ok(figures.files.received > 0, 'operators downloaded files');
  assert.ok(figures.closedPages > 0, 'visitors closed the page');
  for (const name of ['typing', 'conversationRead']) {
    const request = figures.requests.find(({ operation }: { operation: string }) => operation === name);
    assert.ok(request.took.count > 0, name);
  }
  assert.ok(figures.closeRequestToOffer.count > 0, 'freed slots went to queued conversations');
  const page = readFileSync(files.page, 'utf8');
  assert.equal(page.match(/<svg /g)?.length, 4);
  assert.doesNotMatch(page, /(?:src|href)=|https?:|@import|url\(/, 'the page is self-contained');
});
