import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { assertError, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { newOperatorFields } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const OPERATOR_COUNT = 2500;

let switchboard: Switchboard;
let rest: RestClient;
let database: DatabaseSync;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  database = new DatabaseSync(join(switchboard.folder, 'switchboard.db'), { timeout: 5000 });
});
after(async () => {
  database.close();
  await switchboard.stop();
});

test('a locked database: 503 with Retry-After, nothing changed, and nothing stored for the idempotency key', async () => {
  const fields = newOperatorFields();
  const key = { 'Idempotency-Key': 'locked' };
  database.exec('begin immediate'); // another process locks the file
  let refused: Awaited<ReturnType<RestClient['post']>>;
  try {
    refused = await rest.post('/operator', fields, key);
  } finally {
    database.exec('rollback');
  }
  assertError(refused, 503, /Nothing was changed/);
  assert.equal(refused.headers.get('retry-after'), '1');
  const repeated = await rest.post('/operator', fields, key);
  assertOk(repeated, 201);
  assert.equal(repeated.headers.get('idempotency-replayed'), null);
});

test('a live list of thousands of operators is streamed completely and in order', async () => {
  database.exec(`
    insert into operator_live (account_id, operator_id, version, lease_until, first_login_at, named_only, chat_enabled, call_enabled, video_enabled, chat_available, call_available,
      video_available, chat_slots, call_slots, video_slots, chat_max_number, chat_and_call, chat_to_video,
      chat_priority, call_priority, video_priority)
    with recursive n(id) as (select 10 union all select id + 1 from n where id < ${OPERATOR_COUNT + 9})
    select account_id, n.id, 1, lease_until, 1, 0, chat_enabled, call_enabled, video_enabled, chat_available, call_available,
      video_available, chat_slots, call_slots, video_slots, chat_max_number, chat_and_call, chat_to_video,
      chat_priority, call_priority, video_priority
    from operator_live, n where operator_id = 1`);
  const { body, status } = await rest.get('/operator/live?connected=0');
  assert.equal(status, 200);
  assert.equal(body.meta.status, 'success');
  assert.deepEqual(
    body.data.map((live: { id: number }) => live.id),
    Array.from({ length: OPERATOR_COUNT }, (_, index) => OPERATOR_COUNT + 9 - index),
  );
  assert.deepEqual(body.pagination, { page: 1, pages: 1, limit: OPERATOR_COUNT, count: OPERATOR_COUNT });
  const head = await rest.send('HEAD', '/operator/live?connected=0');
  assert.equal(head.status, 200);
  assert.equal(head.body, undefined);
  const part = await rest.get('/operator/live?connected=0&page=2&limit=100');
  assert.deepEqual(part.body.data, body.data.slice(100, 200));
});

test('clients that disconnect in the middle of a long list cause no error', async () => {
  for (let time = 0; time < 10; time++) {
    const abort = new AbortController();
    const response = await fetch(`${switchboard.url}/api/2/operator/live?connected=0&key=${switchboard.key}`, {
      signal: abort.signal,
    });
    await response.body?.getReader().read();
    abort.abort();
  }
  assertOk(await rest.get('/operator'));
  assert.doesNotMatch(switchboard.log(), /request failed/);
});
