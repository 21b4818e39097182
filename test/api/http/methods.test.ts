import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { assertError } from '../../support/clients/envelope.ts';
import { logIn } from '../../support/clients/oauth.ts';
import { type RawResponse, rawRequest, sendRaw } from '../../support/clients/raw.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];
const PATHS = [
  '/api/2/operator',
  '/api/2/operator/1',
  '/api/2/operator/live',
  '/api/2/operator/1/live',
  '/api/2/statistic',
  '/api/2/conversation.json-unicode',
  '/oauth2/token',
  '/oauth2/revoke',
  '/_authenticated',
  '/admin/login',
  '/admin/session',
  '/session',
  '/session/options',
  '/session/password-link',
  '/session/password',
  '/graphql',
  '/visitor/session',
  '/visitor/session/renew',
  '/visitor/widget',
  '/visitor/graphql',
  '/visitor/attachment',
  '/attachment',
  '/attachment/1',
  '/_health',
  '/_ready',
  '/metrics',
  '/',
  '/docs',
  '/widget.js',
  '/openapi.json',
  '/graphiql',
];

let switchboard: Switchboard;
let credentials: string[];
before(async () => {
  switchboard = await startSwitchboard();
  credentials = [`X-API-Key: ${switchboard.key}`];
});
after(() => switchboard.stop());

const send = (method: string, path: string, headers: readonly string[] = credentials): Promise<RawResponse> =>
  sendRaw(switchboard.url, rawRequest(`${method} ${path} HTTP/1.1`, [...headers, 'Connection: close']));
const allowOf = ({ head }: RawResponse): string | undefined => /^allow: (.*)$/im.exec(head)?.[1];

test('Allow is the same on 405 and OPTIONS, on every path', async () => {
  const bearer = [`Authorization: Bearer ${await logIn(switchboard.url, ADMIN)}`];
  for (const path of PATHS) {
    const headers = path === '/graphql' ? bearer : credentials;
    const options = await send('OPTIONS', path, headers);
    assert.equal(options.status, 204, path);
    const allow = allowOf(options);
    assert.ok(allow, path);
    const rejected: string[] = [];
    for (const method of METHODS.filter((each) => !allow.split(', ').includes(each))) {
      const response = await send(method, path, headers);
      if (response.status !== 405) continue;
      assert.equal(allowOf(response), allow, `${method} ${path}`);
      rejected.push(method);
    }
    // The visitors' endpoint asks for a token first; the live list reads a PUT or DELETE as an unknown operator.
    if (path !== '/visitor/graphql') assert.ok(rejected.includes('TRACE') && rejected.includes('PATCH'), path);
  }
});

test('a method that the service does not know gets 501 in the envelope', async () => {
  for (const method of ['FOO', 'get', 'PROPFIND', 'QUERY', 'M-SEARCH', 'GETT', 'X_1']) {
    for (const path of ['/api/2/operator', '/api/2/foo', '/oauth2/token', '/graphql', '/_health', '/nothing']) {
      const response = await send(method, path);
      assertError(response, 501, /^The method .* is not known\.$|^The method is not known\.$/);
      assert.equal(response.body.meta.status, 'error');
    }
  }
});

test('input that is not a request line stays 400', async () => {
  for (const text of ['HELLO\r\n\r\n', 'FOO \r\n\r\n', 'FOO / HTTP/9.9\r\n\r\n', '\x16\x03\x01 / HTTP/1.1\r\n\r\n']) {
    assertError(await sendRaw(switchboard.url, text), 400, 'The request cannot be read.');
  }
});

test('an unknown method after another request on the same connection gets 501', async () => {
  const first = 'GET /_health HTTP/1.1\r\nHost: a\r\n\r\n';
  const { text } = await readAll(`${first}FOO /api/2/operator HTTP/1.1\r\nHost: a\r\n\r\n`);
  assert.match(text, /^HTTP\/1\.1 200 .*\}HTTP\/1\.1 501 Not Implemented\r\n/s);
});

/** Everything that the service sends until it closes the connection. */
async function readAll(request: string): Promise<{ text: string }> {
  const { hostname, port } = new URL(switchboard.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve({ text }));
    socket.on('error', reject);
  });
}
