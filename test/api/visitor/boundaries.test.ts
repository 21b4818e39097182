import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isInputObjectType, parse, validate } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { visitorSchema } from '../../../src/api/visitor/schema.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { operationsOf } from '../../support/docs/documents.ts';
import { allRoutes } from '../../support/docs/routes.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';
import { WAIT_TIMEOUT_MS } from '../../support/waiting/wait.ts';

let site: Site;
let operator: SiteOperator;
let visitor: SiteVisitor;
before(async () => {
  site = await openSite();
  operator = await site.createOperator({ chat_max_number: 50 });
  visitor = await site.createVisitor();
});
after(() => site.stop());

/** A connection that is accepted by mistake would never end. */
const WITH_TIMEOUT = { timeout: WAIT_TIMEOUT_MS };

const readPosition = async () => (await site.admin.run('{eventPosition}')).data.eventPosition;

async function postDocument(
  path: string,
  document: string,
  headers: Record<string, string>,
): Promise<{ status: number; codes: string[] }> {
  const response = await fetch(site.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query: document }),
  });
  const { errors = [] } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
  return { status: response.status, codes: errors.map(({ extensions }) => extensions.code) };
}

/** Each way to send a credential: a request with both is rejected. */
const credentialHeaders = (secret: string) => [{ Authorization: `Bearer ${secret}` }, { 'X-API-Key': secret }];

for (const { kind, name, document } of operationsOf(schema)) {
  test(`rule 17: the operator ${kind} ${name} rejects a visitor's token`, async () => {
    assert.deepEqual(validate(schema, parse(document)), [], document);
    const before = await readPosition();
    const refused = { status: 401, codes: ['UNAUTHENTICATED'] };
    for (const headers of credentialHeaders(visitor.token))
      assert.deepEqual(await postDocument('/graphql', document, headers), refused);
    assert.equal(await readPosition(), before);
  });
}

test(
  "rule 17: the operators' socket rejects visitor tokens, and the visitors' socket rejects all other credentials",
  WITH_TIMEOUT,
  async () => {
    assert.equal((await openSocket(site.url, visitor.token).closed).code, 4403);
    for (const token of [operator.token, site.admin.token, site.switchboard.key]) {
      const socket = openSocket(site.url, token, { token }, { path: '/visitor/graphql' });
      assert.equal((await socket.closed).code, 4403);
    }
  },
);

test("rule 17: every other endpoint treats a visitor's token like an unknown token", async () => {
  const routes = await allRoutes();
  assert.ok(routes.filter(({ url }) => url.startsWith('/api/2/')).length > 20);
  for (const { url, methods } of routes) {
    if (url.startsWith('/visitor/')) continue;
    const address = site.url + url.replace(/:\w+/g, '1').replace('*', 'x');
    for (const method of methods) {
      if (method === 'TRACE') continue; // fetch cannot send it
      const statuses = (secret: string) =>
        Promise.all(
          credentialHeaders(secret).map(async (credential) => {
            const headers = { ...credential, 'Content-Type': 'application/json' };
            const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: '{}' } : {};
            return (await fetch(address, { method, headers, redirect: 'manual', ...body })).status;
          }),
        );
      const withToken = await statuses(visitor.token);
      assert.deepEqual(withToken, await statuses('nonsense'), `${method} ${url}`);
      if (url.startsWith('/api/2/') && method !== 'OPTIONS')
        for (const status of withToken) assert.ok(status >= 400, `${method} ${url} ${status}`);
    }
  }
  for (const headers of credentialHeaders(visitor.token))
    assert.equal((await fetch(`${site.url}/_authenticated`, { headers })).status, 401);
  assert.deepEqual(
    (await visitor.run('{visitor{uniqueId}}')).data.visitor.uniqueId,
    visitor.visitorId,
    'the token is still valid',
  );
});

test('the revoke endpoint does not revoke visitor tokens', async () => {
  const body = new URLSearchParams({ token: visitor.token });
  assert.equal((await fetch(`${site.url}/oauth2/revoke`, { method: 'POST', body })).status, 200);
  assert.equal((await visitor.run('{__typename}')).status, 200);
});

for (const { kind, name, document } of operationsOf(visitorSchema)) {
  test(`rule 17: the visitor ${kind} ${name} accepts only visitor tokens`, async () => {
    assert.deepEqual(validate(visitorSchema, parse(document)), [], document);
    const before = await readPosition();
    const refused = { status: 401, codes: ['UNAUTHENTICATED'] };
    for (const secret of [operator.token, site.admin.token, site.switchboard.key, 'nonsense']) {
      for (const headers of credentialHeaders(secret))
        assert.deepEqual(await postDocument('/visitor/graphql', document, headers), refused);
    }
    assert.deepEqual(await postDocument('/visitor/graphql', document, {}), refused);
    assert.equal(await readPosition(), before);
  });
}

/** Documents that access a conversation by id; null for operations that take no conversation id. */
const DOCUMENTS_BY_ID: Readonly<Record<string, ((id: string) => string) | null>> = {
  visitor: null,
  availability: null,
  eventPosition: null,
  conversations: null,
  conversationStart: null,
  visitorUpdate: null,
  visitorContext: null,
  visitorIdentify: null,
  messageLeave: null,
  conversation: (id) => `{ conversation(id: "${id}") { id state messages { text } } }`,
  messageSend: (id) =>
    `mutation { messageSend(input: { conversationId: "${id}", text: "x" }) { message { sequence } userErrors { code field message } } }`,
  typing: (id) =>
    `mutation { typing(input: { conversationId: "${id}" }) { conversation { id } userErrors { code field message } } }`,
  signals: (id) => `subscription { signals(conversationId: "${id}") { kind } }`,
  conversationRead: (id) =>
    `mutation { conversationRead(input: { id: "${id}", upTo: 1 }) { conversation { id } userErrors { code field message } } }`,
  conversationClose: (id) =>
    `mutation { conversationClose(input: { id: "${id}" }) { conversation { id } userErrors { code field message } } }`,
  satisfactionAnswer: (id) =>
    `mutation { satisfactionAnswer(input: { conversationId: "${id}", welcome: 1, resolution: 1, delay: 1 }) { satisfaction { welcome } userErrors { code field message } } }`,
  conversationEvents: (id) => `subscription { conversationEvents(id: "${id}") { position } }`,
};

test('the table above covers every operation of the visitor schema', () => {
  assert.deepEqual(
    Object.keys(DOCUMENTS_BY_ID).sort(),
    operationsOf(visitorSchema)
      .map(({ name }) => name)
      .sort(),
  );
  for (const { name, field } of operationsOf(visitorSchema)) {
    const inputs = field.args.flatMap(({ name: argument, type }) => {
      const inner = 'ofType' in type ? type.ofType : type;
      return isInputObjectType(inner) ? Object.keys(inner.getFields()) : [argument];
    });
    assert.equal(
      inputs.some((input) => input === 'id' || input === 'conversationId'),
      DOCUMENTS_BY_ID[name] !== null,
      name,
    );
  }
});

for (const [name, document] of Object.entries(DOCUMENTS_BY_ID)) {
  if (!document) continue;
  test(
    `rule 17: ${name} treats a conversation of another visitor like one that does not exist`,
    WITH_TIMEOUT,
    async () => {
      const owner = await site.createVisitor();
      const { id } = await owner.startConversation({ message: 'private' });
      await operator.acceptOffer(id);
      const otherVisitor = await site.createVisitor();
      const before = await readPosition();
      const results = [];
      for (const requestedId of [id, '900001']) {
        const result =
          name === 'conversationEvents' || name === 'signals'
            ? await subscribeAndFail(otherVisitor, document(requestedId))
            : await otherVisitor.run(document(requestedId));
        const { data, errors } = result as { data?: unknown; errors?: unknown };
        results.push(JSON.stringify({ data, errors }).replaceAll(requestedId, 'ID'));
      }
      assert.equal(results[0], results[1]);
      assert.match(results[0] as string, name === 'conversation' ? /"conversation":null/ : /UNKNOWN_ID|BAD_REQUEST/);
      assert.equal(await readPosition(), before, 'nothing was changed');
    },
  );
}

async function subscribeAndFail(subscriber: SiteVisitor, document: string): Promise<{ errors: unknown }> {
  const socket = subscriber.openSocket();
  const errors = await (await socket.subscribe(document)).failed;
  socket.end();
  return { errors };
}
