import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { restClient } from '../support/clients/rest.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { until } from '../support/waiting/until.ts';

/** A few in every test run; `npm run fault` asks for many. */
const KILLS = Number(process.env.KILLS ?? 2);
const FULL = process.env.FULL === '1';
const WRITERS = 8;

interface Acknowledged {
  writes: number;
  readonly operators: Map<number, { external_id: string; pseudo: string }>;
}

test(`the service is killed ${KILLS} times in the middle of writes: every acknowledged write is there, and no half of one`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-kill-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const acknowledged: Acknowledged = { writes: 0, operators: new Map() };
  let unknown = 0;

  for (let round = 0; round < KILLS; round++) {
    const switchboard = await startSwitchboardProcess({ folder });
    if (FULL || round > 0) await verify(switchboard, acknowledged);
    const dead = new Promise<void>((resolve) => switchboard.process.once('exit', () => resolve()));
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(switchboard, acknowledged, `${round}-${writer}`),
    );
    const goal = acknowledged.writes + 20 + ((round * 37) % 200);
    await until('enough was written', () => acknowledged.writes >= goal);
    switchboard.process.kill('SIGKILL');
    unknown += (await Promise.all(writers)).reduce((sum, lost) => sum + lost, 0);
    await dead;
  }

  const switchboard = await startSwitchboardProcess({ folder });
  await verify(switchboard, acknowledged);
  await assertHealthy(switchboard);
  await switchboard.stop();
  t.diagnostic(`${acknowledged.operators.size} operators acknowledged, ${unknown} writes without an answer`);
  assert.ok(acknowledged.operators.size > KILLS, 'there was something to lose');
});

/** Creates and changes operators until the service is gone; answers with the number of writes that got no answer. */
async function write({ url, key }: SwitchboardProcess, acknowledged: Acknowledged, name: string): Promise<number> {
  const rest = restClient(url, key);
  const { operators } = acknowledged;
  for (let number = 0; ; number++) {
    const external_id = `${name}-${number}`;
    try {
      const made = await rest.post('/operator', {
        name,
        email: `${external_id}@example.com`,
        external_id,
        pseudo: 'made',
      });
      assert.equal(made.status, 201);
      operators.set(made.body.data.id, { external_id, pseudo: 'made' });
      acknowledged.writes += 1;
      const changed = await rest.put(`/operator/${made.body.data.id}`, { pseudo: 'changed', chat_max_number: 7 });
      assert.equal(changed.status, 200);
      operators.set(made.body.data.id, { external_id, pseudo: 'changed' });
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
    assert.equal(operator?.external_id, external_id, `operator ${id} was acknowledged and is lost`);
    // A change that got no answer may have been made; one that was acknowledged must have been.
    if (pseudo === 'changed') assert.equal(operator.pseudo, 'changed', `a change of operator ${id} is lost`);
  }
  for (const [id, operator] of found) {
    if (operator.pseudo === 'Admin') continue;
    const expected = operator.pseudo === 'changed' ? 7 : 3;
    assert.equal(operator.chat_max_number, expected, `operator ${id} has half of a change`);
  }
  if (FULL) await assertHealthy(switchboard);
}

async function assertHealthy({ command }: SwitchboardProcess): Promise<void> {
  const { code, stdout } = await command(['doctor']);
  assert.equal(code, 0, stdout);
}
