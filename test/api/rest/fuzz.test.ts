import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { assertEnvelope, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { anyCharacter } from '../../support/fixtures/any-character.ts';
import { createOperator, createResource } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../../support/waiting/wait.ts';

const RUNS = process.env.FULL === '1' ? 80 : 30;

let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  await createResource(rest, 'website', { label: 'W', url: 'https://w.example.com' });
  await createResource(rest, 'group', { name: 'G' });
  await createResource(rest, 'skill', { name: 'S' });
  await createOperator(rest, { group_id: 1, skill_list: [1] });
});
after(async () => {
  assertOk(await rest.get('/operator'));
  assert.doesNotMatch(switchboard.log(), /request failed/);
  const { code, stdout, stderr } = await switchboard.runCommand(['doctor']);
  assert.equal(code, 0, stdout + stderr);
  await switchboard.stop();
});

const FIELDS = [
  ...['id', '_link', 'name', 'first_name', 'pseudo', 'email', 'external_id', 'role', 'roles', 'chat_enabled'],
  ...['call_enabled', 'video_enabled', 'chat_max_number', 'chat_and_call', 'chat_to_video', 'chat_priority'],
  ...['call_priority', 'video_priority', 'language_list', 'language_admin', 'group_id', 'website_list', 'skill_list'],
  ...[
    'sso_key',
    'call_config',
    'type',
    'phone_number',
    'ask_phone_number_at_every_connection',
    'chat',
    'call',
    'video',
  ],
  ...[
    'available',
    'connected',
    'url',
    'label',
    'currency',
    'timezone',
    'client_id',
    'parent_id',
    'parent_list',
    'order',
  ],
  ...['created_at', 'operator_list', 'user_id', 'status', 'description', 'city', 'foo', '__proto__', 'constructor'],
];
const VALUES = [
  ...['', '0', '1', 'true', 'admin', 'operator', 'fr', 'EUR', 'UTC', 'a@b.example', 'https://x.example', '1,2', '1,x'],
  ...[
    '+33123456789',
    'ANSWER_FROM_PHONE',
    '\0',
    '\ud800',
    '9007199254740993',
    '1e3',
    '\u202e',
    "'--",
    '%00',
    '/operator/2',
  ],
];
const leaf = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.jsonValue({ maxDepth: 1 }),
  fc.integer({ min: -2, max: 60 }),
  fc.boolean(),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: leaf },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie('value'), { maxKeys: 3 }),
  ),
}));
const body = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6 });
const target = fc.constantFrom(
  ['POST', '/operator'],
  ['PUT', '/operator/2'],
  ['PUT', '/operator/2/live'],
  ['PUT', '/operator/2/profile'],
  ['POST', '/website'],
  ['PUT', '/website/1'],
  ['POST', '/group'],
  ['PUT', '/group/1'],
  ['POST', '/skill'],
  ['PUT', '/skill/1'],
) as fc.Arbitrary<[string, string]>;

async function send(
  method: string,
  path: string,
  init: { body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
) {
  const response = await fetch(`${switchboard.url}/api/2${path}`, {
    method,
    headers: { 'X-API-Key': switchboard.key, ...init.headers },
    signal: AbortSignal.timeout(WAIT_TIMEOUT_MS),
    ...(init.body === undefined ? {} : { body: init.body }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test('any JSON to any write gets the envelope, never an internal error', async () => {
  await fc.assert(
    fc.asyncProperty(target, body, async ([method, path], fields) => {
      const response = await send(method, path, {
        body: JSON.stringify(fields),
        headers: { 'Content-Type': 'application/json' },
      });
      assert.ok(response.status < 500, JSON.stringify(response.body));
      assertEnvelope(response);
    }),
    { numRuns: RUNS * 4 },
  );
});

test('an arbitrary field value is rejected, or accepted and returned unchanged', async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...FIELDS), value, async (field, fieldValue) => {
      number += 1;
      const fields = { name: 'N', email: `fuzz${number}@example.com`, [field]: fieldValue };
      const response = await send('POST', '/operator', {
        body: JSON.stringify(fields),
        headers: { 'Content-Type': 'application/json' },
      });
      assert.ok([201, 400, 409].includes(response.status), JSON.stringify(response.body));
      assertEnvelope(response);
      if (response.status !== 201) return;
      const { id } = response.body.data;
      const restored = await send('PUT', `/operator/${id}`, {
        body: JSON.stringify(response.body.data),
        headers: { 'Content-Type': 'application/json' },
      });
      assert.deepEqual(restored.body, response.body, 'accepted values can be sent back');
    }),
    { numRuns: RUNS * 2 },
  );
});

test('any bytes as a body of any type get the envelope, never an internal error', async () => {
  const media = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain');
  const form = fc
    .array(
      fc.tuple(
        fc.constantFrom(...FIELDS),
        fc.constantFrom('', '[]', '[0]', '[type]', '[available]', '[a][b]', '[', ']'),
        fc.constantFrom(...VALUES),
      ),
      { maxLength: 8 },
    )
    .map((pairs) =>
      Buffer.from(
        pairs.map(([name, inner, text]) => `${name}${inner}=${encodeURIComponent(text.toWellFormed())}`).join('&'),
      ),
    );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((array) => Buffer.from(array)),
    form,
  );
  await fc.assert(
    fc.asyncProperty(target, media, bytes, async ([method, path], type, content) => {
      const response = await send(method, path, { body: new Uint8Array(content), headers: { 'Content-Type': type } });
      assert.ok(response.status < 500, JSON.stringify(response.body));
      assertEnvelope(response);
    }),
    { numRuns: RUNS * 2 },
  );
});

test('any query of any list gets the envelope, never an internal error', async () => {
  const path = fc.constantFrom('/operator', '/operator/live', '/client', '/website', '/group', '/skill', '/operator/2');
  const names = [
    'filters[id]',
    'filters[name]',
    'filters[group_id]',
    'filters[connected]',
    'filters',
    'page',
    'limit',
    'full',
    'fields[]',
    'connected',
    'key',
    'x',
  ];
  const text = fc.oneof(
    fc.constantFrom(...VALUES, '*', '1*', '*a*', '5'),
    fc.string({ unit: anyCharacter, maxLength: 10 }),
  );
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 5 }),
      async (list, pairs) => {
        const query = pairs
          .map(([name, parameter]) => `${name}=${encodeURIComponent(parameter.toWellFormed())}`)
          .join('&');
        const response = await send('GET', `${list}?${query}`, {});
        assert.ok([200, 400].includes(response.status), JSON.stringify(response.body));
        assertEnvelope(response);
      },
    ),
    { numRuns: RUNS * 2 },
  );
});
