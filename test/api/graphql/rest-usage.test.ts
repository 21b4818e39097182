import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { replacementOf } from '../../../src/api/graphql/replacements.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { addOperator, otherAccount, readKey } from '../../support/people/people.ts';
import { type Switchboard, startSwitchboard, WRITE_KEY } from '../../support/processes/switchboard.ts';
import { until } from '../../support/waiting/until.ts';

const METER = '{ restUsage { key { id name prefix access } what count firstUsedAt lastUsedAt replacement } }';

interface Use {
  readonly key: { readonly id: string; readonly name: string; readonly prefix: string; readonly access: string };
  readonly what: string;
  readonly count: number;
  readonly firstUsedAt: string;
  readonly lastUsedAt: string;
  readonly replacement: string | null;
}

const usesOf = async (client: GraphqlClient): Promise<Use[]> => {
  const { data, errors } = await client.run(METER);
  assert.deepEqual(errors, []);
  return data.restUsage;
};

/** What each key used, as `{ "write what": times }`. */
const countsOf = async (client: GraphqlClient): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await usesOf(client)).map(({ key, what, count }) => [`${key.access.toLowerCase()} ${what}`, count]),
  );

let folder: string;
let switchboard: Switchboard;
let admin: GraphqlClient;
let reader: RestClient;
let writer: RestClient;
let secret: string;

async function start(): Promise<void> {
  switchboard = await startSwitchboard({ folder, demo: true });
  admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
  writer = restClient(switchboard.url, switchboard.key);
  reader = restClient(switchboard.url, secret);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-meter-'));
  switchboard = await startSwitchboard({ folder, demo: true });
  secret = await readKey(switchboard);
  await switchboard.stop();
  await start();
});
after(async () => {
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the requests of `use` add to the meter. */
async function added(use: () => Promise<unknown>): Promise<Record<string, number>> {
  const earlier = await countsOf(admin);
  await use();
  const now = await countsOf(admin);
  return Object.fromEntries(
    Object.entries(now)
      .map(([name, count]) => [name, count - (earlier[name] ?? 0)] as const)
      .filter(([, more]) => more !== 0),
  );
}

async function times(count: number, use: () => Promise<{ status: number }>, status = 200): Promise<void> {
  for (let number = 0; number < count; number++) assert.equal((await use()).status, status);
}

describe('the meter counts', () => {
  test('endpoints by key, and a read key like any other', async () => {
    const counts = await added(async () => {
      await times(3, () => writer.get('/operator?limit=1'));
      await times(2, () => reader.get('/operator?limit=1'));
      await times(1, () => writer.get('/website/1'));
      await times(4, () => reader.get('/operator/2/profile'));
      await times(2, () => writer.put('/operator/2/live', 'chat[available]=1'));
    });
    assert.deepEqual(counts, {
      'write GET /operator': 3,
      'read GET /operator': 2,
      'write GET /website/{id}': 1,
      'read GET /operator/{id}/profile': 4,
      'write PUT /operator/{id}/live': 2,
    });
  });

  test('every request with a key, whatever the answer; HEAD as GET, and nothing for those without an endpoint', async () => {
    const counts = await added(async () => {
      await times(1, () => writer.get('/skill/456789'), 404);
      await times(1, () => writer.get('/skill?limit=0'), 400);
      await times(1, () => reader.delete('/skill/1'), 403);
      await times(2, () =>
        fetch(`${switchboard.url}/api/2/skill/1`, { method: 'HEAD', headers: { 'X-API-Key': secret } }),
      );
      await times(1, () => fetch(`${switchboard.url}/api/2/skill/1`, { method: 'OPTIONS' }), 204);
      await times(1, () => writer.get('/nothing'), 404);
      await times(1, () => writer.send('PATCH', '/skill/1'), 405);
      await times(1, () => restClient(switchboard.url, 'no such key').get('/skill'), 403);
    });
    assert.deepEqual(counts, {
      'write GET /skill/{id}': 1,
      'write GET /skill': 1,
      'read DELETE /skill/{id}': 1,
      'read GET /skill/{id}': 2,
      'read skill.operator_list': 2,
    });
  });

  test('deprecated fields that are shown', async () => {
    const counts = await added(async () => {
      await times(3, () => reader.get('/operator/2'));
      await times(2, () => reader.get('/operator/2?fields[]=name'));
      await times(1, () => reader.get('/operator/2?fields[]=role'));
      await times(2, () => reader.get('/operator?full=1&limit=1'));
      await times(1, () => reader.get('/operator?fields[]=role'));
      await times(1, () => reader.get('/operator?fields[]=roles'));
      await times(2, () => reader.get('/operator/2/statistic'));
      await times(1, () => reader.get('/operator/2/statistic?fields[]=experience'));
      await times(1, () => reader.get('/group?full=1'));
      await times(1, () => reader.get('/skill/1?fields[]=operator_list'));
      await times(1, () => reader.get('/website?full=1'));
    });
    assert.deepEqual(counts, {
      'read GET /operator/{id}': 6,
      'read GET /operator': 4,
      'read GET /operator/{id}/statistic': 3,
      'read GET /group': 1,
      'read GET /skill/{id}': 1,
      'read GET /website': 1,
      'read operator.role': 7,
      'read operator.satisfaction_global_rate': 2,
      'read group.operator_list': 1,
      'read skill.operator_list': 1,
    });
  });

  test('deprecated fields that are written', async () => {
    const counts = await added(async () => {
      await times(1, () => writer.put('/operator/3', 'role=operator'));
      await times(1, () => writer.put('/operator/3', { roles: ['operator'] }));
      await times(1, () => writer.post('/operator', { name: 'N', email: 'role@example.com', role: 'manager' }), 201);
      await times(1, () => writer.put('/operator/3', { role: 'nonsense' }), 400);
    });
    assert.deepEqual(counts, { 'write PUT /operator/{id}': 3, 'write POST /operator': 1, 'write operator.role': 2 });
  });

  test('filters, also of an answer that was kept', async () => {
    const counts = await added(async () => {
      await times(3, () => writer.get('/operator?filters[name]=mart*&filters[group_id]=*'));
      await times(2, () => writer.get('/operator/live?filters[skill_id]=*'));
      await times(1, () => writer.get('/operator/live?connected=0'));
      await times(1, () => writer.get('/operator/live?filters[connected]=0&filters[id]=2'));
      await times(1, () => writer.get('/skill?filters[operator_id]=3'));
      await times(1, () => writer.get('/skill?filters[nothing]=3'), 400);
    });
    assert.deepEqual(counts, {
      'write GET /operator': 3,
      'write GET /operator?filters[name]': 3,
      'write GET /operator?filters[group_id]': 3,
      'write GET /operator/live': 4,
      'write GET /operator/live?filters[skill_id]': 2,
      'write GET /operator/live?filters[id]': 1,
      'write GET /operator/live?connected=0': 2,
      'write GET /skill': 2,
      'write GET /skill?filters[operator_id]': 1,
    });
  });

  test('exactly, when many come at once', async () => {
    const counts = await added(() => Promise.all(Array.from({ length: 200 }, () => writer.get('/client/1'))));
    assert.deepEqual(counts, { 'write GET /client/{id}': 200 });
  });

  test('when something was used first and last, and what replaces it', async () => {
    const start = Date.now();
    await writer.get('/group/1?fields[]=name');
    const first = (await usesOf(admin)).find(({ what }) => what === 'GET /group/{id}') ?? assert.fail();
    await until('the clock has moved', () => Date.now() > Date.parse(first.lastUsedAt));
    await writer.get('/group/1?fields[]=name');
    const second = (await usesOf(admin)).find(({ what }) => what === 'GET /group/{id}') ?? assert.fail();
    assert.ok(Date.parse(first.firstUsedAt) >= start && Date.parse(first.lastUsedAt) <= Date.now());
    assert.equal(second.firstUsedAt, first.firstUsedAt);
    assert.ok(second.lastUsedAt > first.lastUsedAt);
    assert.equal(second.replacement, replacementOf('GET /group/{id}'));
    for (const { what, replacement } of await usesOf(admin)) assert.ok(replacement, what);
  });
});

describe('the meter is seen', () => {
  test('by nobody of another account', async () => {
    const other = await otherAccount(switchboard);
    await times(2, () => other.get('/website'));
    const token = await logIn(switchboard.url, { email: 'other@example.com', password: 'a long enough password' });
    const uses = await usesOf(graphqlClient(switchboard.url, token));
    assert.deepEqual(
      uses.map(({ what, count }) => [what, count]),
      [['GET /website', 2]],
    );
  });

  for (const role of ['expert', 'operator', 'manager']) {
    test(`not by a person who is only ${role}`, async () => {
      const person = { email: `${role}@example.com`, password: 'a long enough password' };
      await addOperator(writer, { ...person, roles: [role] });
      const client = graphqlClient(switchboard.url, await logIn(switchboard.url, person));
      const { data, errors } = await client.run(METER);
      assert.equal(data.restUsage, null);
      assert.deepEqual(
        errors.map((error) => error.extensions.code),
        ['FORBIDDEN'],
      );
    });
  }

  test('on the command line, for the named account', async () => {
    const expected = await countsOf(admin);
    const { stdout, code } = await switchboard.command(['migration', '--account', '1', '--replacements']);
    assert.equal(code, 0);
    assert.match(stdout, /^id +name +key +used +times +first +last +instead$/m);
    const line = new RegExp(
      `^\\d+ +reader +sb_\\S+… +GET /operator/\\{id\\} +${expected['read GET /operator/{id}']} .* operator$`,
      'm',
    );
    assert.match(stdout, line);
    assert.ok(stdout.includes(`# instead of operator.role\n${replacementOf('operator.role')}\n`));
    const unnamed = await switchboard.command(['migration']);
    assert.equal(unnamed.code, 1);
    assert.match(unnamed.stderr, /--account/);
  });

  test('on a page that asks no other host and runs nothing inline', async () => {
    const response = await fetch(`${switchboard.url}/docs/migration/meter`);
    assert.equal(response.status, 200);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*form-action 'none'/);
    assert.doesNotMatch(policy, /unsafe|http|\*/);
    const html = await response.text();
    assert.doesNotMatch(html, /https?:|["'(]\/\/|<script(?! src="\/)|\son\w+=|style=/);
    for (const [, link = ''] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      assert.equal((await fetch(switchboard.url + link)).status, 200, link);
    }
    const script = await (await fetch(`${switchboard.url}/docs/migration/meter/page.js`)).text();
    for (const [, module = ''] of script.matchAll(/from '([^']+)'/g)) {
      assert.equal((await fetch(switchboard.url + module)).status, 200, module);
    }
    const [, query = ''] = script.match(/METER = `([^`]+)`/) ?? [];
    assert.deepEqual((await admin.run(query)).errors, []);
  });
});

describe('the meter remembers', () => {
  test('everything after a stop and a start, and goes on counting', async () => {
    await times(5, () => reader.get('/client'));
    const earlier = await countsOf(admin);
    await times(2, () => reader.get('/client'));
    await switchboard.stop();
    await start();
    const read = { ...earlier, 'read GET /client': (earlier['read GET /client'] ?? 0) + 2 };
    assert.deepEqual(await countsOf(admin), read);
    await times(1, () => reader.get('/client'));
    assert.equal((await countsOf(admin))['read GET /client'], read['read GET /client'] + 1);
  });

  test('no key: neither the table, nor the answer, nor the log has one', async () => {
    await times(1, () => fetch(`${switchboard.url}/api/2/operator?key=${secret}&filters[name]=*`));
    const shown = JSON.stringify(await usesOf(admin));
    const { stdout } = await switchboard.command(['migration', '--account', '1']);
    await switchboard.stop();
    const rows = JSON.stringify(await switchboard.stored.rows('select * from rest_usage'));
    const kept = await switchboard.stored.everything();
    assert.ok(rows.includes('GET /operator?filters[name]'));
    for (const key of [WRITE_KEY, secret]) {
      for (const text of [shown, stdout, rows, switchboard.log(), kept]) assert.ok(!text.includes(key));
    }
  });
});
