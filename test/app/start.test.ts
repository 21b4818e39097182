import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { restClient } from '../support/clients/rest.ts';
import { type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
});
after(() => switchboard.stop());

test('the first start creates one account with one admin', async () => {
  const { body } = await restClient(switchboard.url, switchboard.key).get('/operator?full=1');
  assert.equal(body.pagination.count, 1);
  assert.deepEqual(body.data[0].roles, ['admin']);
});
