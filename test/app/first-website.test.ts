import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { restClient } from '../support/clients/rest.ts';
import { isOnPostgres } from '../support/databases/postgres-database.ts';
import { type InProcessService, serveInProcess } from '../support/processes/in-process-service.ts';
import { testEnvironment, WRITE_KEY } from '../support/processes/switchboard.ts';

suite('the first start', { skip: isOnPostgres && 'does not depend on the database' }, () => {
  async function withFirstStart(settings: Record<string, string>, check: (service: InProcessService) => Promise<void>) {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-first-'));
    const service = await serveInProcess(testEnvironment(folder, settings));
    try {
      await check(service);
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test('creates a website, so that a first conversation is possible', () =>
    withFirstStart({}, async ({ url, output }) => {
      assert.match(output(), /^ {2}Website {5}1, for http:\/\/localhost: change its address to your own$/m);
      const rest = restClient(url, WRITE_KEY);
      assert.equal((await rest.get('/website/1')).body.data.label, 'My website');
      assert.deepEqual((await rest.get('/operator/1')).body.data.website_list, [1]);
      assert.equal((await rest.put('/operator/1/live', { chat: { available: true } })).status, 200);

      const post = async (path: string, body: object, headers = {}) => {
        const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
        return (await fetch(`${url}${path}`, { ...init, body: JSON.stringify(body) })).json();
      };
      const { token } = (await post('/visitor/session', { websiteId: 1 })) as { token: string };
      const query = `mutation { conversationStart(input: { channel: CHAT, message: "Hello", clientId: "1" }) {
        conversation { state } userErrors { message } } }`;
      const answer = await post('/visitor/graphql', { query }, { authorization: `Bearer ${token}` });
      assert.deepEqual(answer, { data: { conversationStart: { conversation: { state: 'QUEUED' }, userErrors: [] } } });
    }));

  test('gives the website the public address', () =>
    withFirstStart({ SWITCHBOARD_PUBLIC_URL: 'https://chat.example.com' }, async ({ output }) => {
      assert.match(output(), /^ {2}Website {5}1, for https:\/\/chat\.example\.com: /m);
    }));
});
