import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fastify } from 'fastify';
import { registerPages } from '../../../src/api/pages/pages.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
});
after(() => switchboard.stop());

const get = (path: string) => fetch(switchboard.url + path);

test('the GraphiQL page has a strict content security policy and loads nothing from other hosts', async () => {
  const response = await get('/graphiql');
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
  const policy = response.headers.get('content-security-policy')?.split('; ') ?? [];
  const nonce =
    policy.find((directive) => directive.startsWith('style-src'))?.match(/'nonce-([\w+/=]{24})'/)?.[1] ?? '';
  assert.deepEqual(policy, [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${switchboard.url.replace('http', 'ws')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
  const html = await response.text();
  assert.ok(html.includes(`nonce="${nonce}"`), 'the script passes the nonce on to the dialogs');
  assert.ok(!(await (await get('/graphiql')).text()).includes(nonce), 'a nonce is used once');
  assert.doesNotMatch(html, /https?:|["'(]\/\//);
  assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| on\w+=| style=/, 'something is inline');
});

test('the content security policy allows WebSockets to the configured public URL', async () => {
  const app = fastify();
  registerPages(app, { publicUrl: 'https://chat.example.com/' });
  const { headers } = await app.inject('/graphiql');
  assert.match(String(headers['content-security-policy']), /connect-src 'self' wss:\/\/chat\.example\.com;/);
});

test('without a build, every page says what to run', async () => {
  const warnings: string[] = [];
  const app = fastify({ logger: { level: 'warn', stream: { write: (line: string) => warnings.push(line) } } });
  registerPages(app, { publicUrl: undefined, buildFolder: '/nonexistent/' });
  for (const path of ['/', '/docs', '/graphiql', '/openapi.json', '/widget.js']) {
    const response = await app.inject(path);
    assert.equal(response.statusCode, 503, path);
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.match(response.body, /Run `node scripts\/prepare\.mjs`/);
  }
  assert.match(warnings.join(''), /Run `node scripts\/prepare\.mjs`/);
});
