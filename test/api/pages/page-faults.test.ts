import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

describe('faults that pages report', () => {
  let switchboard: Switchboard;
  before(async () => {
    switchboard = await startSwitchboard();
  });
  after(() => switchboard.stop());

  const post = (body: string) => fetch(`${switchboard.url}/page-faults`, { method: 'POST', body });
  const readFaults = () =>
    switchboard
      .log()
      .split('\n')
      .filter((line) => line.includes('a part of a page could not be shown'))
      .map((line) => JSON.parse(line).fault);

  test('are in the log, cut to a length, and without anything else', async () => {
    const response = await post(
      JSON.stringify({ part: 'desk: rail', message: 'm'.repeat(600), stack: 's'.repeat(5000), other: 'x' }),
    );
    assert.equal(response.status, 204);
    assert.equal(await response.text(), '');
    assert.deepEqual(readFaults().at(-1), { part: 'desk: rail', message: 'm'.repeat(500), stack: 's'.repeat(4000) });
  });

  test('what is none is answered, and has no text in the log', async () => {
    for (const body of ['', 'no JSON', 'null', '[1]', '{"part":1,"message":{"a":"b"}}', '"text"']) {
      assert.equal((await post(body)).status, 204, body);
      assert.deepEqual(readFaults().at(-1), {}, body);
    }
    assert.equal((await post('a'.repeat(20_000))).status, 413);
    const get = await fetch(`${switchboard.url}/page-faults`);
    assert.equal(get.status, 405);
    assert.equal(get.headers.get('allow'), 'POST, OPTIONS');
  });

  test('of one minute fill no disk', async () => {
    for (let count = 0; count < 100; count += 1) assert.equal((await post('{}')).status, 204);
    assert.equal(readFaults().length, 60);
  });
});
