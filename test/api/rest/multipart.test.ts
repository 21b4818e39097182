import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, type RestResponse, restClient } from '../../support/clients/rest.ts';
import { createOperator, newOperatorFields } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let rest: RestClient;
let id: number;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  id = (await createOperator(rest)).id;
});
after(() => switchboard.stop());

function toForm(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value as string);
  return form;
}
async function send(
  method: string,
  path: string,
  body: FormData | string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<RestResponse> {
  const { url, key } = switchboard;
  const response = await fetch(`${url}/api/2${path}`, { method, body, headers: { 'X-API-Key': key, ...headers } });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const put = (fields: Record<string, string | Blob>) => send('PUT', `/operator/${id}`, toForm(fields));

const BOUNDARY = '----switchboard';
const TYPE = { 'Content-Type': `multipart/form-data; boundary="${BOUNDARY}"` };
const toPart = (name: string, value: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const putRaw = (text: string | Buffer<ArrayBuffer>) => send('PUT', `/operator/${id}`, text, TYPE);

test('a multipart form is read like a URL-encoded one', async () => {
  const created = await send('POST', '/operator', toForm(newOperatorFields({ name: 'Müller & Söhne + 1%' })));
  assertOk(created, 201);
  assert.equal(created.body.data.name, 'Müller & Söhne + 1%');
  const response = await put({
    name: 'Two\r\nlines',
    chat_enabled: '0',
    'website_list[]': '',
    'language_list[0]': 'en',
    'language_list[1]': 'fr',
    'call_config[type]': 'ANSWER_FROM_DESK',
    group_id: '',
  });
  assertOk(response);
  const { name, chat_enabled, website_list, language_list, group_id } = response.body.data;
  assert.deepEqual(
    [name, chat_enabled, website_list, language_list, group_id],
    ['Two\r\nlines', false, [], ['en', 'fr'], null],
  );
  const live = await send('PUT', `/operator/${id}/live`, toForm({ 'chat[available]': '1' }));
  assert.equal(live.body.meta.message, 'Operator is now available for chat channel.');
});

test('the parts of real clients are accepted', async () => {
  const end = `--${BOUNDARY}--`;
  for (const text of [
    `--${BOUNDARY}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=pseudo\r\n\r\nÄ\r\n${end}`,
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="pseudo"\r\nContent-Length: 2\r\n\r\nÄ\r\n${end}\r\n`,
    `${toPart('pseudo', 'Ä')}${end}\r\nepilogue`,
  ]) {
    const response = await putRaw(text);
    assertOk(response);
    assert.equal(response.body.data.pseudo, 'Ä');
  }
});

test('the same problems are found as in a form', async () => {
  assertError(await put({ foo: '1' }), 400, "Field 'foo' is unknown.");
  assertInvalidField(await put({ chat_max_number: '51' }), 'chat_max_number');
  assertInvalidField(await putRaw(`${toPart('name', 'A')}${toPart('name', 'B')}--${BOUNDARY}--`), 'name');
  assertInvalidField(await put({ name: 'a\0b' }), 'name');
  assertError(await put({ 'call_config[a][b][c][d]': '1' }), 400, /parameters cannot be read/);
});

test('a file is 415', async () => {
  const message = 'Files are not accepted: send multipart/form-data without files.';
  assertError(await put({ name: new Blob(['A']) }), 415, message);
  assertError(await put({ pseudo: 'A', photo: new Blob([Buffer.alloc(200_000, 'x')]) }), 415, message);
});

test('a body that cannot be read is 400', async () => {
  const message = 'The body is not valid multipart/form-data.';
  assertError(await putRaw('hello'), 400, message);
  assertError(await putRaw(toPart('name', 'A')), 400, message);
  assertError(
    await putRaw(`--${BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\n1\r\n--${BOUNDARY}--`),
    400,
    message,
  );
  const withoutBoundary = { 'Content-Type': 'multipart/form-data' };
  assertError(await send('PUT', `/operator/${id}`, toPart('name', 'A'), withoutBoundary), 400, message);
  assertError(
    await putRaw(Buffer.from(`${toPart('name', '\xff')}--${BOUNDARY}--`, 'latin1')),
    400,
    'The body is not valid UTF-8.',
  );
  const compressed = { ...TYPE, 'Content-Encoding': 'gzip' };
  assertError(await send('PUT', `/operator/${id}`, toPart('name', 'A'), compressed), 415);
});

test('number and size are limited', async () => {
  const parts = (count: number) => `${toPart('language_list[]', 'en').repeat(count)}--${BOUNDARY}--`;
  assertError(await putRaw(parts(2001)), 400, 'The body must have at most 2000 parts.');
  assertError(await putRaw(parts(9000)), 400, 'The body must have at most 2000 parts.');
  assertInvalidField(await putRaw(parts(2000)), 'language_list');
  assertError(await put({ name: 'x'.repeat(1_100_000) }), 413);
});

test('a retry with another boundary is the same request', async () => {
  const fields = toForm({ name: 'Once' });
  const first = await send('POST', '/group', fields, { 'Idempotency-Key': 'multipart-1' });
  assertOk(first, 201);
  const second = await send('POST', '/group', fields, { 'Idempotency-Key': 'multipart-1' });
  assert.equal(second.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(second.body, first.body);
});

test('a body that is cut or changed anywhere never ends the process', async () => {
  const whole = Buffer.from(
    `${toPart('pseudo', 'A')}--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nfile\r\n` +
      `${toPart('name', 'B')}--${BOUNDARY}--\r\n`,
  );
  const bodies = Array.from({ length: whole.length / 4 }, (_, end) => whole.subarray(0, end * 4 + 1)).flatMap((cut) => {
    const changed = Buffer.from(whole);
    changed[cut.length - 1] = 0x20;
    return [cut, changed];
  });
  for (const body of bodies) assert.ok((await putRaw(body)).status < 500, String(body));
  assertOk(await rest.get('/operator'));
});

test('other endpoints do not accept it', async () => {
  const response = await fetch(`${switchboard.url}/oauth2/token`, {
    method: 'POST',
    body: toForm({ grant_type: 'password' }),
  });
  assert.equal(response.status, 400);
});
