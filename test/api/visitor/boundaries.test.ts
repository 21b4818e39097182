import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isInputObjectType, parse, validate } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { visitorSchema } from '../../../src/api/visitor/schema.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { operationsOf } from '../../support/docs/documents.ts';
import { allRoutes } from '../../support/docs/routes.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/people/site.ts';
import { PATIENCE_MS } from '../../support/waiting/until.ts';

let site: Site;
let operator: SiteOperator;
let visitor: SiteVisitor;
before(async () => {
  site = await openSite();
  operator = await site.operator({ chat_max_number: 50 });
  visitor = await site.visitor();
});
after(() => site.stop());

/** What is let in by mistake would wait for its end. */
const LIMITED = { timeout: PATIENCE_MS };

const position = async () => (await site.admin.run('{eventPosition}')).data.eventPosition;

async function ask(
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

/** Both ways of sending a credential, whichever the address looks at. */
const shown = (secret: string) => ({ Authorization: `Bearer ${secret}`, 'X-API-Key': secret });

for (const { kind, name, document } of operationsOf(schema)) {
  test(`rule 17: a visitor's token is worth nothing for the ${kind} ${name} of operators`, async () => {
    assert.deepEqual(validate(schema, parse(document)), [], document);
    const before = await position();
    const refused = { status: 401, codes: ['UNAUTHENTICATED'] };
    assert.deepEqual(await ask('/graphql', document, shown(visitor.token)), refused);
    assert.equal(await position(), before);
  });
}

test(
  "rule 17: a visitor's token opens no connection of operators, nor an operator's one of visitors",
  LIMITED,
  async () => {
    assert.equal((await openSocket(site.url, visitor.token).closed).code, 4403);
    for (const token of [operator.token, site.admin.token, site.switchboard.key]) {
      const socket = openSocket(site.url, token, { token }, { path: '/visitor/graphql' });
      assert.equal((await socket.closed).code, 4403);
    }
  },
);

test("rule 17: with a visitor's token every address answers as with nonsense", async () => {
  const all = await allRoutes();
  assert.ok(all.filter(({ url }) => url.startsWith('/api/2/')).length > 20);
  for (const { url, methods } of all) {
    if (url.startsWith('/visitor/')) continue;
    const address = site.url + url.replace(/:\w+/g, '1').replace('*', 'x');
    for (const method of methods) {
      const status = async (secret: string) => {
        const headers = { ...shown(secret), 'Content-Type': 'application/json' };
        const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: '{}' } : {};
        return (await fetch(address, { method, headers, redirect: 'manual', ...body })).status;
      };
      const withToken = await status(visitor.token);
      assert.equal(withToken, await status('nonsense'), `${method} ${url}`);
      if (url.startsWith('/api/2/') && method !== 'OPTIONS')
        assert.ok(withToken >= 400, `${method} ${url} ${withToken}`);
    }
  }
  const check = await fetch(`${site.url}/_authenticated`, { headers: shown(visitor.token) });
  assert.equal(check.status, 401);
  assert.deepEqual(
    (await visitor.run('{visitor{uniqueId}}')).data.visitor.uniqueId,
    visitor.visitorId,
    'and it lives on',
  );
});

test('revoking tokens of operators does not touch those of visitors', async () => {
  const body = new URLSearchParams({ token: visitor.token });
  assert.equal((await fetch(`${site.url}/oauth2/revoke`, { method: 'POST', body })).status, 200);
  assert.equal((await visitor.run('{__typename}')).status, 200);
});

for (const { kind, name, document } of operationsOf(visitorSchema)) {
  test(`rule 17: the ${kind} ${name} of visitors takes no other credential`, async () => {
    assert.deepEqual(validate(visitorSchema, parse(document)), [], document);
    const before = await position();
    const refused = { status: 401, codes: ['UNAUTHENTICATED'] };
    for (const secret of [operator.token, site.admin.token, site.switchboard.key, 'nonsense']) {
      assert.deepEqual(await ask('/visitor/graphql', document, shown(secret)), refused);
    }
    assert.deepEqual(await ask('/visitor/graphql', document, {}), refused);
    assert.equal(await position(), before);
  });
}

/** How each operation names a conversation; those that name none are of the visitor whose token it is. */
const NAMING: Readonly<Record<string, ((id: string) => string) | null>> = {
  visitor: null,
  availability: null,
  eventPosition: null,
  conversations: null,
  conversationStart: null,
  visitorUpdate: null,
  conversation: (id) => `{ conversation(id: "${id}") { id state messages { text } } }`,
  messageSend: (id) =>
    `mutation { messageSend(input: { conversationId: "${id}", text: "x" }) { message { sequence } userErrors { code field message } } }`,
  conversationClose: (id) =>
    `mutation { conversationClose(input: { id: "${id}" }) { conversation { id } userErrors { code field message } } }`,
  satisfactionAnswer: (id) =>
    `mutation { satisfactionAnswer(input: { conversationId: "${id}", welcome: 1, resolution: 1, delay: 1 }) { satisfaction { welcome } userErrors { code field message } } }`,
  conversationEvents: (id) => `subscription { conversationEvents(id: "${id}") { position } }`,
};

test('every operation of visitors says how it names a conversation', () => {
  assert.deepEqual(
    Object.keys(NAMING).sort(),
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
      NAMING[name] !== null,
      name,
    );
  }
});

for (const [name, document] of Object.entries(NAMING)) {
  if (!document) continue;
  test(
    `rule 17: ${name} answers for a conversation of somebody else as for one that does not exist`,
    LIMITED,
    async () => {
      const owner = await site.visitor();
      const { id } = await owner.start({ message: 'private' });
      await operator.accept(id);
      const elsewhere = await site.visitor();
      const before = await position();
      const answers = [];
      for (const asked of [id, '900001']) {
        const answer =
          name === 'conversationEvents'
            ? await failure(elsewhere, document(asked))
            : await elsewhere.run(document(asked));
        const { data, errors } = answer as { data?: unknown; errors?: unknown };
        answers.push(JSON.stringify({ data, errors }).replaceAll(asked, 'ID'));
      }
      assert.equal(answers[0], answers[1]);
      assert.match(answers[0] as string, name === 'conversation' ? /"conversation":null/ : /UNKNOWN_ID|BAD_REQUEST/);
      assert.equal(await position(), before, 'nothing was changed');
    },
  );
}

async function failure(who: SiteVisitor, document: string): Promise<{ errors: unknown }> {
  const socket = who.socket();
  const errors = await (await socket.watch(document)).failed;
  socket.end();
  return { errors };
}
