import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { type ExecutionResult, execute, parse } from 'graphql';
import type { Context } from '../../../src/api/graphql/context.ts';
import { createRequestContext } from '../../../src/api/graphql/request-context.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { DocumentCache } from '../../../src/api/graphql-server/documents.ts';
import { createMutationRunner } from '../../../src/api/graphql-server/mutation-runner.ts';
import { OperationTurns, TurnScheduler } from '../../../src/api/graphql-server/turns.ts';
import type { Caller } from '../../../src/core/kernel/caller.ts';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.ts';
import { SlowReads } from '../../../src/storage/sqlite/slow-reads.ts';
import { openTestInstallation, type TestInstallation } from '../../support/databases/databases.ts';
import { isOnPostgres } from '../../support/databases/postgres-database.ts';
import { loadQuietDemo } from '../../support/fixtures/demo.ts';

const scheduler = new TurnScheduler();
let installation: TestInstallation;
let admin: Caller;
let expert: Caller;
before(async () => {
  installation = await openTestInstallation();
  await loadQuietDemo(installation);
  admin = { ...installation.caller, actor: { type: 'operator', id: 1 }, operatorId: 1 };
  expert = { ...admin, accessLevel: 'expert', operatorId: 11, actor: { type: 'operator', id: 11 } };
});
after(() => installation.end());

function contextFor(caller: Caller): Context {
  const runner = createMutationRunner((work) => installation.database.transaction(work));
  const turns = new OperationTurns(scheduler, 'test');
  return createRequestContext(caller, installation, runner, turns, { getBaseUrl: () => 'http://127.0.0.1' });
}

const OPERATOR_FIELDS = `id name firstName pseudo email externalId role roles chatEnabled callEnabled videoEnabled chatMaxNumber
  chatAndCall chatToVideo chatPriority callPriority videoPriority languageList languageAdmin ssoKey
  callConfig { type askPhoneNumberAtEveryConnection phoneNumber } group { id name parent { name } } websites { id label }
  skills { id name order } profile { status city } statistics { conversationNumber satisfactionRate firstAnswerSeconds }
  live { connected chat { enabled available busy slotNumber slotMaxNumber routable blockedBy } call { routable } }`;

const CONVERSATION_FIELDS = `id channel state language createdAt hasWaited offeredAt offerUntil acceptedAt firstAnswerAt closedAt
  closedBy messageCount queuePosition website { id label } visitor { id lastname } skill { id name } group { id name }
  operator { id pseudo live { connected } } tags { id name } satisfaction { noteWelcome comment } escalatedFrom { id }
  messages(last: 3) { sequence author text operator { pseudo } } all: messages { sequence }`;

/** Documents of every shape: each must give the same result, compiled or interpreted. */
const DOCUMENTS: readonly (readonly [string, Record<string, unknown>?])[] = [
  ['{ viewer { id pseudo roles } }'],
  [`{ operators(first: 20) { totalCount nodes { ${OPERATOR_FIELDS} } pageInfo { hasNextPage endCursor } } }`],
  [
    '{ skills(first: 20) { nodes { id name operators(first: 10) { nodes { id live { chat { available slotNumber } } } } } } }',
  ],
  ['query($id: ID!) { operator(id: $id) { id name skills { name parent { name children { name } } } } }', { id: '5' }],
  ['query($id: ID!) { operator(id: $id) { id } }', { id: '999' }],
  ['query($id: ID!) { operator(id: $id) { id } }', { id: 7 }],
  ['query($id: ID!) { operator(id: $id) { id } }', {}],
  [
    'query($first: Int, $after: String) { operators(first: $first, after: $after) { edges { cursor node { id } } } }',
    { first: 3 },
  ],
  ['query($first: Int) { operators(first: $first) { nodes { id } } }', { first: 101 }],
  ['query($first: Int = 2) { operators(first: $first) { nodes { id } } }'],
  [
    'query($f: OperatorFilter) { operators(filter: $f) { totalCount nodes { name } } }',
    { f: { name: 'm*', connected: true } },
  ],
  ['query($f: OperatorFilter) { operators(filter: $f) { totalCount } }', { f: { id: 'abc' } }],
  ['query($n: String) { operators(filter: { name: $n }) { totalCount } }', { n: 'm*' }],
  ['query($n: String) { operators(filter: { name: $n }) { totalCount } }', {}],
  ['query($with: Boolean!) { viewer { id name @include(if: $with) pseudo @skip(if: $with) } }', { with: true }],
  ['query($with: Boolean!) { viewer { id name @include(if: $with) pseudo @skip(if: $with) } }', { with: false }],
  [
    '{ a: operator(id: 2) { ...x } b: operator(id: 3) { ...x live { ...y } } } fragment x on Operator { id name } fragment y on OperatorLive { chat { busy } }',
  ],
  [
    '{ skill(id: 1) { availability { chat { isAvailable freeSlots waiting } } french: availability(language: "fr") { chat { operatorsConnected } } } }',
  ],
  ['{ skill(id: 1) { statistics(from: "2020-01-01T00:00:00Z") { answeredNumber experience } } }'],
  [
    '{ groups(first: 2) { nodes { id name parent { id } children { id } operators(first: 1) { totalCount } } } websites { nodes { url currency } } }',
  ],
  [`{ conversations(first: 20) { totalCount nodes { ${CONVERSATION_FIELDS} } pageInfo { endCursor } } }`],
  ['query($id: ID!) { conversation(id: $id) { id state operator { email } } }', { id: '1' }],
  [
    'query($f: ConversationFilter) { conversations(filter: $f) { totalCount } }',
    { f: { state: 'CLOSED', channel: 'CHAT' } },
  ],
  ['query($n: Int) { conversations(first: 2) { nodes { messages(first: $n) { sequence } } } }', { n: 2 }],
  ['query($n: Int) { conversations(first: 2) { nodes { messages(first: $n) { sequence } } } }', {}],
  ['{ routingDecisions(conversationId: 1) { cause ranked { priority } whyNot(operatorId: 3) } }'],
  [
    '{ routingPreview(websiteId: 1, channel: CHAT, language: "en") { ranked { operator { id } share } excluded { reason count } whyNot(operatorId: 11) } }',
  ],
  ['{ liveHistory(operatorId: 11, first: 3) { nodes { kind at actor { type name } live { connected } } } }'],
  ['{ liveAt(time: "2100-01-01") { operator { id } live { connected chat { slotNumber } } } }'],
  ['{ account { name autoAccept queueLimit } eventPosition }'],
  ['{ apiKeys { id name access lastUsedAt } }'],
  ['{ __typename viewer { __typename live { __typename } } }'],
  ['query A { viewer { id } }'],
  ['{ operators(last: 2) { nodes { id } pageInfo { hasPreviousPage startCursor } } }'],
  ['{ skills(filter: { name: "*e*" }, first: 50) { totalCount nodes { name createdAt } } }'],
];

const normalize = (result: ExecutionResult) =>
  JSON.parse(
    JSON.stringify({
      data: result.data ?? null,
      errors: (result.errors ?? []).map(({ path, extensions, originalError, message }) => ({
        path: path ?? null,
        code: extensions?.code ?? null,
        message: originalError?.message ?? message,
      })),
    }),
  );

for (const role of ['admin', 'expert'] as const) {
  for (const [number, [text, variables = {}]] of DOCUMENTS.entries()) {
    test(`document ${number + 1} gives an ${role} the same result compiled and interpreted`, async () => {
      const caller = role === 'admin' ? admin : expert;
      const documents = new DocumentCache(schema);
      const prepared = documents.prepare(text, null, variables);
      assert.ok('document' in prepared, 'the document is valid');
      const args = () => ({
        schema,
        document: prepared.document,
        variableValues: variables,
        contextValue: contextFor(caller),
      });
      const expected = normalize(await execute(args()));
      const first = normalize(await documents.run(prepared, args()));
      const compiled = normalize(await documents.run(prepared, args()));
      assert.deepEqual(first, expected, 'first use');
      assert.deepEqual(compiled.data, expected.data, 'second use');
      assert.deepEqual(
        compiled.errors.map(({ path, code }: { path: unknown; code: unknown }) => ({ path, code })),
        expected.errors.map(({ path, code }: { path: unknown; code: unknown }) => ({ path, code })),
      );
    });
  }
}

test('a document with a variable inside an object or list, a mutation and a subscription are never compiled', () => {
  const documents = new DocumentCache(schema);
  const isCompilable = (text: string) => {
    const prepared = documents.prepare(text, null, {});
    assert.ok('document' in prepared);
    return prepared.isCompilable;
  };
  assert.equal(isCompilable('query($id: ID!) { operator(id: $id) { id } }'), true);
  assert.equal(isCompilable('query($n: String) { operators(filter: { name: $n }) { totalCount } }'), false);
  assert.equal(isCompilable('mutation { operatorConnect(input: {}) { userErrors { code } } }'), false);
  assert.equal(isCompilable('subscription { operatorLive { id } }'), false);
});

/** The counters are in the embedded database; PostgreSQL runs the same statements. */
const SQLITE_ONLY = { skip: isOnPostgres && 'test/nodes counts the round trips to PostgreSQL' };

/** Counts the statements of a document, in this thread and in the workers. */
async function countStatements(text: string): Promise<number> {
  const counters = [
    mock.method(SqliteConnection.prototype, 'all'),
    mock.method(SqliteConnection.prototype, 'run'),
    mock.method(SlowReads.prototype, 'run'),
  ];
  try {
    const result = await execute({ schema, document: parse(text), contextValue: contextFor(admin) });
    assert.equal(result.errors, undefined);
    return counters.reduce((sum, counter) => sum + counter.mock.callCount(), 0);
  } finally {
    for (const counter of counters) counter.mock.restore();
  }
}

for (const [name, document] of [
  [
    'operators with all fields',
    // The newest operators have neither skills nor groups.
    (size: number) =>
      `{ operators(first: ${size}, filter: { email: "demo*" }) { totalCount nodes { ${OPERATOR_FIELDS} } } }`,
  ],
  [
    'skills with operators and availability',
    (size: number) =>
      `{ skills(first: ${size}) { totalCount nodes { id parent { id } children { id } statistics { experience }
        operators(first: ${size}) { totalCount nodes { pseudo live { connected } } } availability { chat { freeSlots } } } } }`,
  ],
  [
    'conversations with all fields',
    // A few rows may lack some kinds of related objects.
    (size: number) =>
      `{ conversations(first: ${size < 40 ? 40 : 100}) { totalCount nodes { ${CONVERSATION_FIELDS} } } }`,
  ],
  [
    'past live states',
    (size: number) =>
      `{ liveAt(time: "2100-01-01", operatorIds: [${Array.from({ length: size }, (_, n) => n + 1)}]) { operator { pseudo } live { connected } } }`,
  ],
  [
    'filtered members',
    (size: number) =>
      `{ skills(first: ${size}) { nodes { operators(first: 5, filter: { connected: true }) { totalCount nodes { id } } } } }`,
  ],
] as const) {
  test(`the number of SQL statements for ${name} does not grow with the number of rows`, SQLITE_ONLY, async (t) => {
    await countStatements(document(40)); // a first read costs one more statement, whatever the number of rows
    const few = await countStatements(document(3));
    const many = await countStatements(document(40));
    t.diagnostic(`${many} statements`);
    assert.equal(many, few);
    assert.ok(many <= 20);
  });
}
