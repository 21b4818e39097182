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
  assert.deepEqual(response.headers.get('content-security-policy')?.split('; '), [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    'font-src data:',
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `connect-src 'self' ${switchboard.url.replace('http', 'ws')}`,
  ]);
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  const html = await response.text();
  assert.doesNotMatch(html, /https?:|["'(]\/\//);
  assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| on\w+=| style=/, 'something is inline');
});

test('every file that the GraphiQL page loads is served, and no other file of its packages', async () => {
  const html = await (await get('/graphiql')).text();
  const links = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
  assert.ok(links.length >= 8);
  const scripts = ['/graphiql/session.js', '/graphiql/editor-storage.js'];
  for (const link of [...links, ...scripts]) assert.equal((await get(link)).status, 200, link);
  for (const path of ['/graphiql/package.json', '/graphiql/index.js', '/graphiql/../package.json']) {
    assert.equal((await get(path)).status, 404, path);
  }
});

test('the content security policy allows WebSockets to the configured public URL', async () => {
  const app = fastify();
  registerPages(app, { publicUrl: 'https://chat.example.com/' });
  const { headers } = await app.inject('/graphiql');
  assert.match(String(headers['content-security-policy']), /connect-src 'self' wss:\/\/chat\.example\.com$/);
});
