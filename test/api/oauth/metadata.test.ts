import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { checkToken } from '../../support/clients/oauth.ts';
import { rawRequest, sendRaw } from '../../support/clients/raw.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const PATH = '/.well-known/oauth-authorization-server';
const ORIGIN = 'https://app.example.com';

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard({ env: { SWITCHBOARD_CORS_ORIGINS: ORIGIN } });
});
after(() => switchboard.stop());

/** Reads the metadata over a plain connection, because fetch does not set `Host`. */
async function readMetadata(url: string, host: string, headers: readonly string[] = []) {
  const { body } = await sendRaw(url, rawRequest(`GET ${PATH} HTTP/1.1`, headers, '', { host }));
  return body;
}

test('the metadata names the endpoints, on the host of the request', async () => {
  const response = await fetch(`${switchboard.url}${PATH}`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(await response.json(), {
    issuer: switchboard.url,
    token_endpoint: `${switchboard.url}/oauth2/token`,
    revocation_endpoint: `${switchboard.url}/oauth2/revoke`,
    grant_types_supported: ['password'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    service_documentation: `${switchboard.url}/docs`,
  });
  assert.equal((await readMetadata(switchboard.url, 'chat.example.com')).issuer, 'http://chat.example.com');
  const odd = await readMetadata(switchboard.url, 'x"><script>');
  assert.equal(odd.issuer, `http://127.0.0.1:${new URL(switchboard.url).port}`, 'the address of this machine');
  assert.doesNotMatch(JSON.stringify(odd), /script/);
});

test('the metadata can be cached and read by pages of any origin', async () => {
  for (const origin of [ORIGIN, 'https://other.example.com']) {
    const { headers } = await fetch(`${switchboard.url}${PATH}`, { headers: { Origin: origin } });
    assert.equal(headers.get('cache-control'), 'public, max-age=3600');
    assert.equal(headers.get('pragma'), null);
    assert.equal(headers.get('access-control-allow-origin'), '*');
  }
  const head = await fetch(`${switchboard.url}${PATH}`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  const post = await fetch(`${switchboard.url}${PATH}`, { method: 'POST' });
  assert.equal(post.status, 405);
  assert.equal(post.headers.get('allow'), 'GET, HEAD');
});

suite('the issuer', () => {
  const forwarded = ['X-Forwarded-Proto: https', 'X-Forwarded-Host: public.example.com'];

  test('is taken from forwarding headers of trusted proxies only', async (t) => {
    assert.equal(
      (await readMetadata(switchboard.url, 'chat.example.com', forwarded)).issuer,
      'http://chat.example.com',
    );
    const behindProxy = await startSwitchboard({ env: { SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1' } });
    t.after(() => behindProxy.stop());
    const metadata = await readMetadata(behindProxy.url, 'chat.example.com', forwarded);
    assert.equal(metadata.issuer, 'https://public.example.com');
    assert.equal(metadata.token_endpoint, 'https://public.example.com/oauth2/token');
  });

  test('is the public URL, if it is set', async (t) => {
    const settings = { SWITCHBOARD_PUBLIC_URL: 'https://chat.example.com/', PORT: '0' };
    const service = await startSwitchboard({ env: settings });
    t.after(() => service.stop());
    const address = service.log().match(/"url":"([^"]+)"/)?.[1] ?? '';
    assert.equal((await readMetadata(address, 'other.example.com')).issuer, 'https://chat.example.com');
  });
});

test('oauth4webapi discovers the endpoints, logs in and revokes the token', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }; // the test has no certificate
  const client: oauth.Client = { client_id: 'my-app' };
  const issuer = new URL(switchboard.url);
  const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, discovery);
  const parameters = { username: ADMIN.email, password: ADMIN.password };
  const { access_token: token } = await oauth.processGenericTokenEndpointResponse(
    server,
    client,
    await oauth.genericTokenEndpointRequest(server, client, oauth.None(), 'password', parameters, insecure),
  );
  assert.equal((await checkToken(switchboard.url, token)).status, 200);
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, oauth.None(), token, insecure));
  assert.equal((await checkToken(switchboard.url, token)).status, 401);
});
