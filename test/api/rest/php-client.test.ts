import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };
type Values = Readonly<Record<string, Value>>;

/** Encodes nested arrays like PHP's http_build_query: list items with their index, brackets percent-encoded. */
function buildQuery(values: Values): string {
  const parameters = new URLSearchParams();
  const add = (name: string, value: Value): void => {
    if (typeof value === 'boolean') parameters.append(name, value ? '1' : '0');
    else if (typeof value !== 'object') parameters.append(name, String(value));
    else for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner as Value);
  };
  for (const [name, value] of Object.entries(values)) add(name, value);
  return parameters.toString();
}

/**
 * Behaves like existing public clients: sends page, limit and fields with every call, repeats the fields of writes in
 * the query, and sends unrelated Basic credentials along with the key.
 */
class PhpStyleClient {
  readonly fields: readonly string[] = ['name', 'email', 'roles'];
  page = 1;
  limit = 7;
  readonly #base: string;
  readonly #key: string;

  constructor(base: string, key: string) {
    this.#base = base;
    this.#key = key;
  }

  async call(method: string, path: string, values: Values = {}) {
    const query = buildQuery({ page: this.page, limit: this.limit, fields: this.fields, ...values });
    const response = await fetch(`${this.#base}${path}?${query}`, {
      method,
      headers: {
        'X-API-Key': this.#key,
        Authorization: `Basic ${Buffer.from('web:not-a-key-at-all').toString('base64')}`,
        ...(method === 'GET' ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      ...(method === 'GET' ? {} : { body: buildQuery(values) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests inspect arbitrary responses
    return { status: response.status, ...((await response.json()) as any) };
  }

  /** Loads page by page until the last. */
  async loadAll(path: string, values: Values = {}) {
    const found: { id: number; _link: string; name?: string }[] = [];
    for (this.page = 1; ; this.page += 1) {
      const { status, data, pagination } = await this.call('GET', path, values);
      assert.equal(status, 200);
      assert.equal(pagination.page, this.page);
      assert.equal(pagination.limit, this.limit);
      found.push(...data);
      if (pagination.page === pagination.pages) {
        assert.equal(found.length, pagination.count);
        this.page = 1;
        return found;
      }
      assert.ok(this.page < 100, 'too many pages');
    }
  }
}

let switchboard: Switchboard;
let client: PhpStyleClient;
before(async () => {
  switchboard = await startSwitchboard({ demo: true });
  client = new PhpStyleClient(`${switchboard.url}/api/2`, switchboard.key);
});
after(() => switchboard.stop());

test('lists all operators, page by page', async () => {
  const operators = await client.loadAll('/operator');
  assert.equal(operators.length, 47);
  const ids = operators.map(({ id }) => id);
  assert.deepEqual(
    ids,
    [...new Set(ids)].toSorted((a, b) => b - a),
    'each once, newest first',
  );
  for (const operator of operators) {
    assert.deepEqual(Object.keys(operator), ['id', 'name', 'email', 'roles', '_link']);
    assert.equal(operator._link, `/operator/${operator.id}`);
  }
});

test('paging through an empty list ends as well', async () => {
  assert.deepEqual(await client.loadAll('/operator', { filters: { name: 'no such name' } }), []);
});

test('lists the other resources and filtered operators', async () => {
  assert.equal((await client.loadAll('/website')).length, 4);
  assert.equal((await client.loadAll('/group')).length, 4);
  assert.equal((await client.loadAll('/skill')).length, 5);
  const matching = await client.loadAll('/operator', { filters: { email: 'demo1*@example.com' } });
  assert.equal(matching.length, 11, 'demo1 and demo10 to demo19');
});

const NEW_OPERATOR = {
  email: 'php+test@example.com',
  name: "O'Neil & Söhne",
  first_name: 'Zoë',
  password: 'a p&ssword+with=signs%21',
  external_id: 'crm/42',
  roles: ['operator', 'manager'],
  chat_enabled: true,
  call_enabled: false,
  chat_max_number: 5,
  chat_priority: 10,
  language_list: ['fr', 'en'],
  website_list: [1, 3],
  skill_list: [2],
  group_id: 1,
  call_config: { type: 'ANSWER_FROM_PHONE', ask_phone_number_at_every_connection: false, phone_number: '+33142685300' },
};

test('creates, reads, updates and deletes an operator', async () => {
  const created = await client.call('POST', '/operator', NEW_OPERATOR);
  assert.equal(created.status, 201, JSON.stringify(created));
  const { password, ...readable } = NEW_OPERATOR;
  for (const [name, value] of Object.entries(readable)) assert.deepEqual(created.data[name], value, name);
  assert.equal(created.data.role, 'manager');
  assert.equal(Object.keys(created.data).length, 25, 'a write returns all fields, whatever its query selects');
  const { id } = created.data;

  const read = await client.call('GET', `/operator/${id}`);
  assert.deepEqual(read.data, {
    id,
    name: NEW_OPERATOR.name,
    email: NEW_OPERATOR.email,
    roles: NEW_OPERATOR.roles,
    _link: `/operator/${id}`,
  });

  const login = new URLSearchParams({ grant_type: 'password', username: NEW_OPERATOR.email, password });
  assert.equal((await fetch(`${switchboard.url}/oauth2/token`, { method: 'POST', body: login })).status, 200);

  const change = { name: 'Müller', website_list: [2], call_config: { type: 'ANSWER_FROM_DESK' }, chat_enabled: false };
  const updated = await client.call('PUT', `/operator/${id}`, change);
  assert.equal(updated.status, 200, JSON.stringify(updated));
  assert.deepEqual(updated.data, {
    ...created.data,
    ...change,
    call_config: { ...NEW_OPERATOR.call_config, type: 'ANSWER_FROM_DESK' },
  });

  const deleted = await client.call('DELETE', `/operator/${id}`);
  assert.deepEqual(deleted, { status: 200, meta: { status: 'success' } });
  assert.equal((await client.call('GET', `/operator/${id}`)).status, 404);
});

test('the query of a write is ignored', async () => {
  const query = 'name=From+the+query&email=query%40example.com&chat_enabled=0&page=0&limit=x&foo[bar]=1';
  const response = await fetch(`${switchboard.url}/api/2/operator?${query}`, {
    method: 'POST',
    headers: { 'X-API-Key': switchboard.key, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'name=From+the+body&email=body%40example.com',
  });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  assert.equal(response.status, 201);
  assert.equal(data.name, 'From the body');
  assert.equal(data.email, 'body@example.com');
  assert.equal(data.chat_enabled, true);
});

test('reads live states and sets availability', async () => {
  const present = await client.loadAll('/operator/live', { filters: { skill_id: '*' } });
  assert.ok(present.length > 0);
  const { data: withOffline } = await client.call('GET', '/operator/live', {
    connected: 0,
    filters: { group_id: '*' },
  });
  assert.ok(withOffline.length > 0);

  const [operator] = await client.loadAll('/operator', { filters: { external_id: 'demo-5' } });
  assert.ok(operator);
  const path = `/operator/${operator.id}/live`;
  for (const available of [false, true]) {
    const set = await client.call('PUT', path, { chat: { available }, video: { available } });
    const state = available ? 'available' : 'unavailable';
    assert.deepEqual(set, {
      status: 200,
      meta: {
        status: 'success',
        message: `Operator is now ${state} for chat channel. Operator is now ${state} for video channel.`,
      },
    });
    const { data } = await client.call('GET', path);
    assert.equal(data.id, operator.id);
    assert.equal(data.chat.available, available);
    assert.equal(data.video.available, available);
  }
  const offline = await client.call('PUT', path, { connected: 0 });
  assert.equal(offline.meta.message, 'Operator is now offline.');
  assert.equal((await client.call('GET', path)).data.connected, false);
});

test('reads statistics and profiles', async () => {
  const statistic = await client.call('GET', '/operator/2/statistic');
  assert.deepEqual(Object.keys(statistic.data), [
    'id',
    'conversation_number',
    'satisfaction_global_rate',
    'experience',
  ]);
  const profile = await client.call('GET', '/operator/2/profile');
  assert.equal(profile.data.user_id, 2);
});
