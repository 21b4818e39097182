import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { openInstallation } from '../../../src/app/installation.ts';
import { startServer } from '../../../src/app/server.ts';
import { readConfig } from '../../../src/config.ts';
import {
  createValidator,
  type Document,
  type MediaType,
  type Operation,
  operationsOf,
  requiredHeaders,
  responseOf,
} from '../../support/docs/openapi.ts';
import { ADMIN, type Switchboard, startSwitchboard, testEnvironment } from '../../support/processes/switchboard.ts';

const committed: Document = JSON.parse(
  readFileSync(new URL('../../../docs/api/openapi.json', import.meta.url), 'utf8'),
);
const validate = createValidator(committed);
const operations = operationsOf(committed);
/** Fields of GraphQL, of visitor sessions and of uploads. */
const CAMEL_CASE_NAMES = new Set([
  'operationName',
  'websiteId',
  'accountId',
  'externalId',
  'expiresIn',
  'visitorId',
  'isOpen',
  'opensAt',
  'conversationId',
  'isImage',
  'ssoCode',
  'firstName',
  'languageAdmin',
  'accountName',
  'signOnUrl',
  'expiresAt',
  'mustSetUpTwoFactor',
]);
const DESCRIBED =
  /^\/(oauth2\/|_authenticated|admin\/|\.well-known\/|visitor\/(attachment|session|widget)|attachment|session|_health|_ready)/;
const isRest = (path: string) => path.startsWith('/api/2/');

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard({ demo: true });
});
after(() => switchboard.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(switchboard.url + path, { headers });

describe('the OpenAPI document', () => {
  test('is served exactly as committed', async () => {
    const response = await get('/openapi.json');
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(await response.json(), committed);
  });

  test('has exactly the paths and methods of the server', async () => {
    const described = operations.map(({ path, method }) => `${method} ${path}`).sort();
    // `/graphql` answers every method itself; GET is left to GraphQL tools.
    assert.deepEqual(described, [...(await servedOperations()), 'POST /graphql'].sort());
  });

  test('marks every REST operation as deprecated and describes all operations', () => {
    for (const { path, operation } of operations) {
      assert.equal(operation.deprecated ?? false, isRest(path), operation.operationId);
      assert.ok(operation.description, operation.operationId);
    }
  });

  test('marks the deprecated fields', () => {
    const deprecated = [...fieldsOf(committed)].filter(([, field]) => field.deprecated).map(([name]) => name);
    assert.deepEqual([...new Set(deprecated)].sort(), ['operator_list', 'role', 'satisfaction_global_rate']);
  });

  test('has snake-case names and a description for every field', () => {
    for (const [name, field] of fieldsOf(committed)) {
      // In a form, `call_config[type]`.
      if (!CAMEL_CASE_NAMES.has(name)) assert.match(name, /^_?[a-z]+(_[a-z]+)*(\[[a-z_]+\])?$/);
      assert.ok(isDescribed(field), `the field ${name} has no description`);
    }
  });

  test('has examples that match their schemas', () => {
    let examples = 0;
    for (const { operation } of operations) {
      const responses = Object.keys(operation.responses).map((status) => responseOf(committed, operation, status));
      for (const { content = {} } of [...responses, operation.requestBody ?? {}]) {
        for (const media of Object.values(content)) {
          const values = [media.example, ...Object.values(media.examples ?? {}).map(({ value }) => value)];
          for (const value of values.filter((example) => example !== undefined)) {
            assert.deepEqual(validate(media.schema, value), [], operation.operationId);
            examples += 1;
          }
        }
      }
    }
    assert.ok(examples > 200);
  });
});

describe('forms in the OpenAPI document', () => {
  const bodyOf = (path: string, method: string) =>
    committed.paths[path]?.[method]?.requestBody?.content['application/x-www-form-urlencoded'] as MediaType;
  const { schema } = bodyOf('/api/2/operator/{id}/live', 'put');

  test('accept booleans as 1 and 0, and fields of objects in brackets', () => {
    for (const body of [{ 'chat[available]': '1' }, { 'call[available]': '0' }, { connected: '0' }]) {
      assert.deepEqual(validate(schema, body), []);
    }
    for (const body of [{ 'chat[available]': 'yes' }, { connected: '1' }, { chat: '1' }, { other: '1' }]) {
      assert.notDeepEqual(validate(schema, body), []);
    }
  });

  test('list as properties only the fields of the example: Swagger UI sends every property', () => {
    assert.deepEqual(Object.keys((schema as { properties: object }).properties), ['chat[available]']);
    for (const { path, method, operation } of operations.filter(({ path }) => isRest(path))) {
      if (!operation.requestBody) continue;
      const { schema, example } = bodyOf(path, method.toLowerCase());
      const { properties } = schema as { properties: Record<string, { examples: unknown[] }> };
      const samples = Object.entries(properties).map(([name, { examples }]) => [name, examples[0]]);
      assert.deepEqual(Object.fromEntries(samples), example, `${method} ${path}`);
    }
  });
});

describe('the server responds as documented', () => {
  const keyed = () => ({ 'X-API-Key': switchboard.key });

  for (const { path, operation } of operations.filter(({ path, method }) => method === 'GET' && isRest(path))) {
    const isList = !path.includes('{id}');
    const address = path.replace('{id}', '1');

    test(`GET ${path}`, async () => {
      const queries = isList ? ['', '?full=1&limit=100', '?fields[]=name'] : ['', '?fields[]=name'];
      // The demo data has no files.
      const isFile = !responseOf(committed, operation, 200).content?.['application/json'];
      for (const query of isFile ? [] : queries)
        await assertDescribed(operation, 200, await get(address + query, keyed()));
      await assertDescribed(operation, 403, await get(address));
      if (isList) await assertDescribed(operation, 400, await get(`${address}?limit=0`, keyed()));
      else await assertDescribed(operation, 404, await get(path.replace('{id}', '456789'), keyed()));
    });
  }

  for (const name of [
    'operator',
    'client',
    'website',
    'group',
    'skill',
    'conversation',
    'visitor',
    'satisfaction',
    'tag',
  ]) {
    test(`a full ${name} has exactly the fields of its schema`, async () => {
      const { data } = (await (await get(`/api/2/${name}?full=1&limit=100`, keyed())).json()) as { data: unknown[] };
      const schema = { $ref: `#/components/schemas/${name.charAt(0).toUpperCase()}${name.slice(1)}` };
      assert.ok(data.length > 0);
      for (const item of data) assert.deepEqual(validate(schema, item), []);
    });
  }

  for (const encoding of ['application/json', 'application/x-www-form-urlencoded']) {
    for (const { path, operation } of operations.filter(({ path, method }) => method === 'POST' && isRest(path))) {
      test(`${operation.operationId}, then update and delete, with the examples as ${encoding}`, async () => {
        const created = await send('POST', path, operation, encoding);
        await assertDescribed(operation, 201, created);
        const location = created.headers.get('location') ?? '';
        const item = committed.paths[`${path}/{id}`] ?? {};
        await assertDescribed(item.put, 200, await send('PUT', location, item.put as Operation, encoding));
        await assertDescribed(item.delete, 200, await send('DELETE', location));
        await assertDescribed(item.delete, 404, await send('DELETE', location));
      });
    }

    for (const part of ['live', 'profile']) {
      const operation = committed.paths[`/api/2/operator/{id}/${part}`]?.put as Operation;
      test(`${operation.operationId} with the example as ${encoding}`, async () => {
        await assertDescribed(operation, 200, await send('PUT', `/api/2/operator/2/${part}`, operation, encoding));
      });
    }
  }

  test('to token requests, checks and revocations', async () => {
    const { url } = switchboard;
    const [token, revoke, check] = ['/oauth2/token', '/oauth2/revoke', '/_authenticated'].map((path) => ({
      url: url + path,
      operation: Object.values(committed.paths[path] ?? {})[0] as Operation,
    })) as [Endpoint, Endpoint, Endpoint];
    const login = { grant_type: 'password', username: ADMIN.email, password: ADMIN.password };
    const granted = await assertDescribed(token.operation, 200, await post(token.url, login));
    const { access_token } = granted as { access_token: string };
    const bearer = { headers: { Authorization: `Bearer ${access_token}` } };
    await assertDescribed(check.operation, 200, await fetch(check.url, bearer));
    await assertDescribed(revoke.operation, 200, await post(revoke.url, { token: access_token }));
    await assertDescribed(check.operation, 401, await fetch(check.url));
    await assertDescribed(token.operation, 400, await post(token.url, { ...login, password: 'wrong' }));
    await assertDescribed(token.operation, 405, await fetch(token.url));
  });

  async function send(method: string, path: string, operation?: Operation, encoding = '') {
    const example = operation?.requestBody?.content[encoding]?.example as Record<string, unknown> | undefined;
    const body = encoding === 'application/json' ? JSON.stringify(example) : toForm(example ?? {});
    const headers = { ...keyed(), ...(example ? { 'Content-Type': encoding } : {}) };
    return fetch(switchboard.url + path, { method, headers, ...(example ? { body } : {}) });
  }
});

describe('the pages', () => {
  const pages = [
    '/',
    '/login',
    '/password',
    '/account',
    '/desk',
    '/console',
    '/console/wall',
    '/developers',
    '/docs',
    '/docs/migration',
    '/docs/migration/meter',
  ];

  for (const path of pages) {
    test(`${path} has a strict content security policy and loads nothing from other hosts`, async () => {
      const response = await get(path);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      // The desk shows pictures before they are sent, and opens a WebSocket.
      const [pictures, sockets] =
        path === '/desk' ? [' data: blob:', ` ${switchboard.url.replace('http', 'ws')}`] : [' data:', ''];
      assert.equal(
        response.headers.get('content-security-policy'),
        `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'${pictures}; font-src 'self'; ` +
          `connect-src 'self'${sockets}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
      );
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
      // URLs in examples are only text.
      const html = (await response.text()).replaceAll(switchboard.url, '').replace(/<pre>.*?<\/pre>/gs, '');
      assert.doesNotMatch(html, /https?:|["'(]\/\//);
      assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| on\w+=| style=/, 'something is inline');
    });

    test(`every link of ${path} works`, async () => {
      const html = await (await get(path)).text();
      for (const [, link = ''] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
        assert.equal((await get(link)).status, 200, link);
      }
    });
  }

  test('HEAD returns no body, and an unchanged page is not sent again', async () => {
    const head = await fetch(`${switchboard.url}/docs`, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
    const revalidated = await get('/docs', { 'If-None-Match': head.headers.get('etag') ?? '' });
    assert.equal(revalidated.status, 304);
  });

  test('unknown pages and other files of the package get 404', async () => {
    for (const path of [
      '/nothing',
      '/docs/nothing',
      '/docs/index.html',
      '/docs/../package.json',
      '/docs/package.json',
    ]) {
      assert.equal((await get(path)).status, 404, path);
    }
  });

  test('the landing page shows the URL of the request, unless the host is malformed', async () => {
    assert.ok((await (await get('/developers')).text()).includes(`${switchboard.url}/api/2/operator`));
    const html = await loadLandingPage('"><script src=x></script>');
    assert.ok(html.includes('/api/2/operator'));
    assert.ok(!html.includes('<script src=x'));
  });
});

/** Loads the landing page with a Host header that no browser would send. */
function loadLandingPage(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request(`${switchboard.url}/developers`, { headers: { Host: host } }, (response) =>
      text(response).then(resolve, reject),
    )
      .once('error', reject)
      .end();
  });
}

interface Endpoint {
  readonly url: string;
  readonly operation: Operation;
}

/** Checks the status, the headers and the body against the document. */
async function assertDescribed(operation: Operation | undefined, status: number, response: Response): Promise<unknown> {
  assert.ok(operation);
  const body = await response.text();
  assert.equal(response.status, status, body);
  const documented = responseOf(committed, operation, status);
  for (const name of requiredHeaders(committed, documented))
    assert.ok(response.headers.has(name), `${name} is missing`);
  const value = JSON.parse(body);
  assert.deepEqual(validate(documented.content?.['application/json']?.schema ?? {}, value), [], body.slice(0, 500));
  return value;
}

/** The operations in the server's route table, without routes that only answer 405. */
async function servedOperations(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const config = readConfig({ ...testEnvironment(folder), SWITCHBOARD_LOG_LEVEL: 'silent' });
  const server = await startServer(await openInstallation(config), config);
  try {
    const described = server.routes.list().filter(({ url }) => isRest(url) || DESCRIBED.test(url));
    const found = await Promise.all(
      described.map(async ({ url, methods }) => {
        const options = await fetch(server.url + url.replace(':id', '1'), { method: 'OPTIONS' });
        const allowed = options.headers.get('allow')?.split(', ') ?? [];
        return methods
          .filter((method) => allowed.includes(method) && method !== 'HEAD' && method !== 'OPTIONS')
          .map((method) => `${method} ${url.replace(':id', '{id}')}`);
      }),
    );
    return found.flat();
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Field = { deprecated?: boolean; description?: string; $ref?: string; anyOf?: Field[] };

/** Every field of every schema in the document. */
function* fieldsOf(node: unknown): Iterable<[string, Field]> {
  if (node === null || typeof node !== 'object') return;
  const { type, properties } = node as { type?: string; properties?: Record<string, Field> };
  if (type === 'object' && properties) yield* Object.entries(properties);
  for (const inner of Object.values(node)) yield* fieldsOf(inner);
}

/** Directly or through a reference. */
function isDescribed(field: Field): boolean {
  return field.description !== undefined || field.$ref !== undefined || (field.anyOf?.some(isDescribed) ?? false);
}

function post(url: string, parameters: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(parameters) });
}

/** Encodes a form as documented: lists with commas, objects with brackets, booleans as 1 and 0. */
function toForm(fields: Record<string, unknown>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value).map(([key, inner]) => [`${name}[${key}]`, inner])
      : [[name, value]],
  );
  const toText = (value: unknown) => (typeof value === 'boolean' ? (value ? '1' : '0') : String(value));
  return new URLSearchParams(pairs.map(([name, value]) => [String(name), toText(value)])).toString();
}
