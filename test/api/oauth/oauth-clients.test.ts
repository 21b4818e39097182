import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { ResourceOwnerPassword } from 'simple-oauth2';
import { checkToken } from '../../support/clients/oauth.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

/** Widely used client libraries, which check responses strictly against the standards. */
let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
});
after(() => switchboard.stop());

suite('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }; // the test has no certificate
  const client: oauth.Client = { client_id: 'my-app' };
  const server = (): oauth.AuthorizationServer => ({
    issuer: switchboard.url,
    token_endpoint: `${switchboard.url}/oauth2/token`,
    revocation_endpoint: `${switchboard.url}/oauth2/revoke`,
  });
  const login = async (authentication: oauth.ClientAuth, password: string) => {
    const parameters = { username: ADMIN.email, password };
    const as = server();
    return oauth.processGenericTokenEndpointResponse(
      as,
      client,
      await oauth.genericTokenEndpointRequest(as, client, authentication, 'password', parameters, insecure),
    );
  };

  for (const [name, authentication] of [
    ['no client authentication', oauth.None()],
    ['a client secret in the body', oauth.ClientSecretPost('secret')],
    ['a client secret in the header', oauth.ClientSecretBasic('secret')],
  ] as const) {
    test(`logs in with ${name} and gets a valid token`, async () => {
      const tokens = await login(authentication, ADMIN.password);
      assert.equal(tokens.token_type, 'bearer');
      assert.equal(tokens.expires_in, 43_200);
      const url = new URL(`${switchboard.url}/_authenticated`);
      const response = await oauth.protectedResourceRequest(tokens.access_token, 'GET', url, undefined, null, insecure);
      assert.deepEqual(await response.json(), { authenticated: true });
    });
  }

  test('recognises a wrong password as a standard error', async () => {
    await assert.rejects(login(oauth.None(), 'not the password'), (error) => {
      assert.ok(error instanceof oauth.ResponseBodyError, String(error));
      assert.equal(error.status, 400);
      assert.equal(error.error, 'invalid_grant');
      assert.ok(error.error_description);
      return true;
    });
  });

  test('recognises an invalid token as a standard challenge', async () => {
    const url = new URL(`${switchboard.url}/_authenticated`);
    await assert.rejects(
      oauth.protectedResourceRequest('not-a-token', 'GET', url, undefined, null, insecure),
      (error) => {
        assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error));
        assert.equal(error.status, 401);
        assert.equal(error.cause[0]?.scheme, 'bearer');
        assert.equal(error.cause[0]?.parameters.error, 'invalid_token');
        return true;
      },
    );
  });

  test('revokes a token', async () => {
    const { access_token } = await login(oauth.None(), ADMIN.password);
    const response = await oauth.revocationRequest(server(), client, oauth.None(), access_token, insecure);
    await oauth.processRevocationResponse(response);
    assert.equal((await checkToken(switchboard.url, access_token)).status, 401);
  });
});

suite('simple-oauth2', () => {
  const clientOf = (authorizationMethod: 'header' | 'body') =>
    new ResourceOwnerPassword({
      client: { id: 'my-app', secret: 'secret' },
      auth: { tokenHost: switchboard.url, tokenPath: '/oauth2/token', revokePath: '/oauth2/revoke' },
      options: { authorizationMethod },
    });

  for (const method of ['header', 'body'] as const) {
    test(`logs in with client credentials in the ${method}, uses the token and revokes it`, async () => {
      const access = await clientOf(method).getToken({ username: ADMIN.email, password: ADMIN.password });
      const token = String(access.token.access_token);
      assert.equal(access.expired(43_000), false);
      assert.equal(access.expired(43_300), true);
      assert.deepEqual((await checkToken(switchboard.url, token)).body, { authenticated: true });
      await access.revoke('access_token');
      assert.equal((await checkToken(switchboard.url, token)).status, 401);
    });
  }

  test('parses the error response to a wrong password', async () => {
    await assert.rejects(
      clientOf('header').getToken({ username: ADMIN.email, password: 'not the password' }),
      (error) => {
        const { output, data } = error as {
          output: { statusCode: number };
          data: { isResponseError: boolean; payload: { error: string } };
        };
        assert.equal(output.statusCode, 400);
        assert.equal(data.isResponseError, true);
        assert.equal(data.payload.error, 'invalid_grant');
        return true;
      },
    );
  });
});
