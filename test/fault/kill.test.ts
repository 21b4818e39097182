import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { restClient } from '../support/clients/rest.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';

/** A few in the regular test run; many under `npm run fault`. */
const KILLS = Number(process.env.KILLS ?? 2);
const FULL = process.env.FULL === '1';
const WRITERS = 8;

interface Acknowledged {
  writes: number;
  readonly operators: Map<number, { external_id: string; pseudo: string }>;
}

test(`the service is killed ${KILLS} times during writes: every acknowledged write is stored, and none partially`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-kill-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const acknowledged: Acknowledged = { writes: 0, operators: new Map() };
  let unansweredCount = 0;

  for (let round = 0; round < KILLS; round++) {
    const switchboard = await startSwitchboardProcess({ folder });
    if (FULL || round > 0) await verify(switchboard, acknowledged);
    const exited = new Promise<void>((resolve) => switchboard.process.once('exit', () => resolve()));
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(switchboard, acknowledged, `${round}-${writer}`),
    );
    const goal = acknowledged.writes + 20 + ((round * 37) % 200);
    await waitUntil('enough writes are acknowledged', () => acknowledged.writes >= goal);
    switchboard.process.kill('SIGKILL');
    unansweredCount += (await Promise.all(writers)).reduce((sum, lost) => sum + lost, 0);
    await exited;
  }

  const switchboard = await startSwitchboardProcess({ folder });
  await verify(switchboard, acknowledged);
  await assertHealthy(switchboard);
  await switchboard.stop();
  t.diagnostic(`figure: ${KILLS} kills`);
  t.diagnostic(`figure: ${acknowledged.writes} writes acknowledged`);
  t.diagnostic(`${acknowledged.operators.size} operators acknowledged, ${unansweredCount} writes without a response`);
  assert.ok(acknowledged.operators.size > KILLS, 'enough writes were acknowledged');
});

/** Creates and changes operators until the service is gone; returns the number of writes without a response. */
async function write({ url, key }: SwitchboardProcess, acknowledged: Acknowledged, name: string): Promise<number> {
  const rest = restClient(url, key);
  const { operators } = acknowledged;
  for (let number = 0; ; number++) {
    const external_id = `${name}-${number}`;
    try {
      const created = await rest.post('/operator', {
        name,
        email: `${external_id}@example.com`,
        external_id,
        pseudo: 'created',
      });
      assert.equal(created.status, 201);
      operators.set(created.body.data.id, { external_id, pseudo: 'created' });
      acknowledged.writes += 1;
      const changed = await rest.put(`/operator/${created.body.data.id}`, { pseudo: 'changed', chat_max_number: 7 });
      assert.equal(changed.status, 200);
      operators.set(created.body.data.id, { external_id, pseudo: 'changed' });
      acknowledged.writes += 1;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return 1;
    }
  }
}

async function verify(switchboard: SwitchboardProcess, { operators }: Acknowledged): Promise<void> {
  const rest = restClient(switchboard.url, switchboard.key);
  const found = new Map<number, { external_id: string; pseudo: string; chat_max_number: number }>();
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { body } = await rest.get(`/operator?full=1&limit=100&page=${page}`);
    pages = body.pagination.pages;
    for (const operator of body.data) found.set(operator.id, operator);
  }
  for (const [id, { external_id, pseudo }] of operators) {
    const operator = found.get(id);
    assert.equal(operator?.external_id, external_id, `operator ${id} was acknowledged but is lost`);
    // A change without a response may be stored; an acknowledged one must be.
    if (pseudo === 'changed') assert.equal(operator.pseudo, 'changed', `a change of operator ${id} is lost`);
  }
  for (const [id, operator] of found) {
    if (operator.pseudo === 'Admin') continue;
    const expected = operator.pseudo === 'changed' ? 7 : 3;
    assert.equal(operator.chat_max_number, expected, `operator ${id} has a partial change`);
  }
  if (FULL) await assertHealthy(switchboard);
}

async function assertHealthy({ runCommand }: SwitchboardProcess): Promise<void> {
  const { code, stdout } = await runCommand(['doctor']);
  assert.equal(code, 0, stdout);
}
