import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findReplacement } from '../../../src/api/graphql/replacements.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, createOtherAccount, createReadKey } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard, WRITE_KEY } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const USAGE_QUERY = '{ restUsage { key { id name prefix access } what count firstUsedAt lastUsedAt replacement } }';

interface Usage {
  readonly key: { readonly id: string; readonly name: string; readonly prefix: string; readonly access: string };
  readonly what: string;
  readonly count: number;
  readonly firstUsedAt: string;
  readonly lastUsedAt: string;
  readonly replacement: string | null;
}

const readUsage = async (client: GraphqlClient): Promise<Usage[]> => {
  const { data, errors } = await client.run(USAGE_QUERY);
  assert.deepEqual(errors, []);
  return data.restUsage;
};

/** Counts by access level and use, as `{ "write GET /skill": 2 }`. */
const readCounts = async (client: GraphqlClient): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await readUsage(client)).map(({ key, what, count }) => [`${key.access.toLowerCase()} ${what}`, count]),
  );

let folder: string;
let switchboard: Switchboard;
let admin: GraphqlClient;
let reader: RestClient;
let writer: RestClient;
let readKey: string;

async function start(): Promise<void> {
  switchboard = await startSwitchboard({ folder, demo: true });
  admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
  writer = restClient(switchboard.url, switchboard.key);
  reader = restClient(switchboard.url, readKey);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-meter-'));
  switchboard = await startSwitchboard({ folder, demo: true });
  readKey = await createReadKey(switchboard);
  await switchboard.stop();
  await start();
});
after(async () => {
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The counts that the requests add to the meter. */
async function countAdded(sendRequests: () => Promise<unknown>): Promise<Record<string, number>> {
  const earlier = await readCounts(admin);
  await sendRequests();
  const now = await readCounts(admin);
  return Object.fromEntries(
    Object.entries(now)
      .map(([name, count]) => [name, count - (earlier[name] ?? 0)] as const)
      .filter(([, difference]) => difference !== 0),
  );
}

async function repeat(count: number, send: () => Promise<{ status: number }>, status = 200): Promise<void> {
  for (let number = 0; number < count; number++) assert.equal((await send()).status, status);
}

describe('the meter counts', () => {
  test('endpoints by key, for read keys too', async () => {
    const counts = await countAdded(async () => {
      await repeat(3, () => writer.get('/operator?limit=1'));
      await repeat(2, () => reader.get('/operator?limit=1'));
      await repeat(1, () => writer.get('/website/1'));
      await repeat(4, () => reader.get('/operator/2/profile'));
      await repeat(2, () => writer.put('/operator/2/live', 'chat[available]=1'));
    });
    assert.deepEqual(counts, {
      'write GET /operator': 3,
      'read GET /operator': 2,
      'write GET /website/{id}': 1,
      'read GET /operator/{id}/profile': 4,
      'write PUT /operator/{id}/live': 2,
    });
  });

  test('every request with a key and an endpoint, whatever the response; HEAD as GET', async () => {
    const counts = await countAdded(async () => {
      await repeat(1, () => writer.get('/skill/456789'), 404);
      await repeat(1, () => writer.get('/skill?limit=0'), 400);
      await repeat(1, () => reader.delete('/skill/1'), 403);
      await repeat(2, () =>
        fetch(`${switchboard.url}/api/2/skill/1`, { method: 'HEAD', headers: { 'X-API-Key': readKey } }),
      );
      await repeat(1, () => fetch(`${switchboard.url}/api/2/skill/1`, { method: 'OPTIONS' }), 204);
      await repeat(1, () => writer.get('/nothing'), 404);
      await repeat(1, () => writer.send('PATCH', '/skill/1'), 405);
      await repeat(1, () => restClient(switchboard.url, 'no such key').get('/skill'), 403);
    });
    assert.deepEqual(counts, {
      'write GET /skill/{id}': 1,
      'write GET /skill': 1,
      'read DELETE /skill/{id}': 1,
      'read GET /skill/{id}': 2,
      'read skill.operator_list': 2,
    });
  });

  test('deprecated fields that are returned', async () => {
    const counts = await countAdded(async () => {
      await repeat(3, () => reader.get('/operator/2'));
      await repeat(2, () => reader.get('/operator/2?fields[]=name'));
      await repeat(1, () => reader.get('/operator/2?fields[]=role'));
      await repeat(2, () => reader.get('/operator?full=1&limit=1'));
      await repeat(1, () => reader.get('/operator?fields[]=role'));
      await repeat(1, () => reader.get('/operator?fields[]=roles'));
      await repeat(2, () => reader.get('/operator/2/statistic'));
      await repeat(1, () => reader.get('/operator/2/statistic?fields[]=experience'));
      await repeat(1, () => reader.get('/group?full=1'));
      await repeat(1, () => reader.get('/skill/1?fields[]=operator_list'));
      await repeat(1, () => reader.get('/website?full=1'));
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
    const counts = await countAdded(async () => {
      await repeat(1, () => writer.put('/operator/3', 'role=operator'));
      await repeat(1, () => writer.put('/operator/3', { roles: ['operator'] }));
      await repeat(1, () => writer.post('/operator', { name: 'N', email: 'role@example.com', role: 'manager' }), 201);
      await repeat(1, () => writer.put('/operator/3', { role: 'nonsense' }), 400);
    });
    assert.deepEqual(counts, { 'write PUT /operator/{id}': 3, 'write POST /operator': 1, 'write operator.role': 2 });
  });

  test('filters, also on cached responses', async () => {
    const counts = await countAdded(async () => {
      await repeat(3, () => writer.get('/operator?filters[name]=mart*&filters[group_id]=*'));
      await repeat(2, () => writer.get('/operator/live?filters[skill_id]=*'));
      await repeat(1, () => writer.get('/operator/live?connected=0'));
      await repeat(1, () => writer.get('/operator/live?filters[connected]=0&filters[id]=2'));
      await repeat(1, () => writer.get('/skill?filters[operator_id]=3'));
      await repeat(1, () => writer.get('/skill?filters[nothing]=3'), 400);
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

  test('exactly, with concurrent requests', async () => {
    const counts = await countAdded(() => Promise.all(Array.from({ length: 200 }, () => writer.get('/client/1'))));
    assert.deepEqual(counts, { 'write GET /client/{id}': 200 });
  });

  test('and reports the first use, the last use and the replacement', async () => {
    const start = Date.now();
    await writer.get('/group/1?fields[]=name');
    const first = (await readUsage(admin)).find(({ what }) => what === 'GET /group/{id}') ?? assert.fail();
    await waitUntil('the clock has moved', () => Date.now() > Date.parse(first.lastUsedAt));
    await writer.get('/group/1?fields[]=name');
    const second = (await readUsage(admin)).find(({ what }) => what === 'GET /group/{id}') ?? assert.fail();
    assert.ok(Date.parse(first.firstUsedAt) >= start && Date.parse(first.lastUsedAt) <= Date.now());
    assert.equal(second.firstUsedAt, first.firstUsedAt);
    assert.ok(second.lastUsedAt > first.lastUsedAt);
    assert.equal(second.replacement, findReplacement('GET /group/{id}'));
    for (const { what, replacement } of await readUsage(admin)) assert.ok(replacement, what);
  });
});

describe('the meter is visible', () => {
  test('only in its account', async () => {
    const other = await createOtherAccount(switchboard);
    await repeat(2, () => other.get('/website'));
    const token = await logIn(switchboard.url, { email: 'other@example.com', password: 'a long enough password' });
    const uses = await readUsage(graphqlClient(switchboard.url, token));
    assert.deepEqual(
      uses.map(({ what, count }) => [what, count]),
      [['GET /website', 2]],
    );
  });

  for (const role of ['expert', 'operator', 'manager']) {
    test(`not to an operator with only the role ${role}`, async () => {
      const login = { email: `${role}@example.com`, password: 'a long enough password' };
      await createOperator(writer, { ...login, roles: [role] });
      const client = graphqlClient(switchboard.url, await logIn(switchboard.url, login));
      const { data, errors } = await client.run(USAGE_QUERY);
      assert.equal(data.restUsage, null);
      assert.deepEqual(
        errors.map((error) => error.extensions.code),
        ['FORBIDDEN'],
      );
    });
  }

  test('on the command line, for the named account', async () => {
    const expected = await readCounts(admin);
    const { stdout, code } = await switchboard.runCommand(['migration', '--account', '1', '--replacements']);
    assert.equal(code, 0);
    assert.match(stdout, /^id +name +key +used +times +first +last +instead$/m);
    const line = new RegExp(
      `^\\d+ +reader +sb_\\S+… +GET /operator/\\{id\\} +${expected['read GET /operator/{id}']} .* operator$`,
      'm',
    );
    assert.match(stdout, line);
    assert.ok(stdout.includes(`# instead of operator.role\n${findReplacement('operator.role')}\n`));
    const unnamed = await switchboard.runCommand(['migration']);
    assert.equal(unnamed.code, 1);
    assert.match(unnamed.stderr, /--account/);
  });

  test('on a page that loads nothing from other hosts and has no inline scripts', async () => {
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
    const script = readFileSync(new URL('../../../web/docs/meter/meter.ts', import.meta.url), 'utf8');
    const [, query = ''] = script.match(/USAGE_QUERY = `([^`]+)`/) ?? [];
    assert.ok(query, 'the query was not found in the script');
    assert.deepEqual((await admin.run(query)).errors, []);
  });
});

describe('the meter stores', () => {
  test('its counts across a restart, and continues counting', async () => {
    await repeat(5, () => reader.get('/client'));
    const earlier = await readCounts(admin);
    await repeat(2, () => reader.get('/client'));
    await switchboard.stop();
    await start();
    const expected = { ...earlier, 'read GET /client': (earlier['read GET /client'] ?? 0) + 2 };
    assert.deepEqual(await readCounts(admin), expected);
    await repeat(1, () => reader.get('/client'));
    assert.equal((await readCounts(admin))['read GET /client'], expected['read GET /client'] + 1);
  });

  test('no key in the table, the response or the log', async () => {
    await repeat(1, () => fetch(`${switchboard.url}/api/2/operator?key=${readKey}&filters[name]=*`));
    const response = JSON.stringify(await readUsage(admin));
    const { stdout } = await switchboard.runCommand(['migration', '--account', '1']);
    await switchboard.stop();
    const rows = JSON.stringify(await switchboard.storedData.query('select * from rest_usage'));
    const storedData = await switchboard.storedData.dumpRowsAndFiles();
    assert.ok(rows.includes('GET /operator?filters[name]'));
    for (const key of [WRITE_KEY, readKey]) {
      for (const text of [response, stdout, rows, switchboard.log(), storedData]) assert.ok(!text.includes(key));
    }
  });
});
