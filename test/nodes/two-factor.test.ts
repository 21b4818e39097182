import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { computeTotp, toTotpStep } from '../../src/core/access/two-factor/totp.ts';
import { graphqlClient } from '../support/clients/graphql.ts';
import { postForm } from '../support/clients/oauth.ts';
import { type Nodes, startNodes } from '../support/nodes/nodes.ts';
import { ADMIN } from '../support/processes/switchboard.ts';
import { testServerOptions } from '../support/processes/test-server-options.ts';

const server = process.env.TEST_DATABASE_URL;

describe('two-factor authentication across several nodes', { skip: server === undefined }, () => {
  const now = Date.now();
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes(server ?? '', testServerOptions({ clockAt: now }));
  });
  after(() => nodes?.end());

  test('one code that reaches all of them at the same time logs in once', async () => {
    const { run } = graphqlClient(nodes.urls[0] as string, nodes.token);
    const started = await run(`mutation{twoFactorStart(input:{currentPassword:"${ADMIN.password}"}){secret}}`);
    const { secret } = started.data.twoFactorStart;
    const codeOf = (offset: number) => computeTotp(secret, toTotpStep(now) + offset);
    const confirmed = await run(`mutation{twoFactorConfirm(input:{code:"${codeOf(0)}"}){recoveryCodes}}`);
    const [recoveryCode = ''] = confirmed.data.twoFactorConfirm.recoveryCodes;
    for (const otp of [codeOf(1), recoveryCode]) {
      // Fewer than the limit of logins, with those before.
      const responses = await Promise.all(
        Array.from({ length: 3 }, (_, index) =>
          postForm(nodes.urls[index % nodes.urls.length] as string, '/oauth2/token', {
            ...{ grant_type: 'password', username: ADMIN.email, password: ADMIN.password, otp },
          }),
        ),
      );
      const outcomes = responses.map(({ body }) => body.error ?? 'granted').sort();
      assert.deepEqual(outcomes, ['granted', 'mfa_required', 'mfa_required']);
    }
  });
});
