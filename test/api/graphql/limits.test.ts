import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getIntrospectionQuery } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { DocumentCache } from '../../../src/api/graphql-server/documents.ts';
import { LIMITS } from '../../../src/api/graphql-server/limits.ts';
import { OperationTurns, TurnScheduler } from '../../../src/api/graphql-server/turns.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let client: GraphqlClient;
before(async () => {
  switchboard = await startSwitchboard();
  client = graphqlClient(switchboard.url, await logIn(switchboard.url));
});
after(() => switchboard.stop());

const repeat = (count: number, build: (index: number) => string, separator = ' ') =>
  Array.from({ length: count }, (_, index) => build(index)).join(separator);
const nest = (depth: number, open: string, inside: string) => open.repeat(depth) + inside + '}'.repeat(depth);

interface Abuse {
  readonly message: RegExp;
  /** Root fields beside a harmless mutation. */
  readonly fields: string;
  readonly definitions?: string;
  readonly variables?: Record<string, unknown>;
  readonly head?: string;
}

const SKILL = 'skillUpdate(input:{id:1}){skill';
const skill = (selection: string) => `b:${SKILL}${selection}}`;

/** Each is a mutation, so that the test can see that none of it ran. */
const ABUSES: Readonly<Record<string, Abuse>> = {
  'a long document': { message: /50000 characters/, fields: ' '.repeat(LIMITS.length) },
  'a document of 1 MB': { message: /characters/, fields: `#${'x'.repeat(900_000)}\n` },
  'many tokens': { message: /5000 tokens/, fields: skill(`{${'id '.repeat(LIMITS.tokens)}}`) },
  'depth 100': { message: /deeper than 15/, fields: skill(nest(100, '{parent', '{id}')) },
  'depth through fragments': {
    message: /deeper than 15/,
    fields: skill('{...F0}'),
    definitions: repeat(20, (n) => `fragment F${n} on Skill{parent{...F${n + 1}}}`).concat(
      ' fragment F20 on Skill{id}',
    ),
  },
  '1,000 aliases': { message: /aliases|tokens/, fields: skill(`{${repeat(1000, (n) => `a${n}:id`)}}`) },
  'aliases at the root': { message: /fields at the root|aliases/, fields: repeat(60, (n) => `a${n}:${SKILL}{id}}`) },
  'root fields in fragments': {
    message: /30 fields at the root/,
    fields: '...R ...{...R}',
    definitions: `fragment R on Mutation{${repeat(16, (n) => `a${n}:${SKILL}{id}}`)}}`,
  },
  'aliases through fragments': {
    message: /50 aliases/,
    fields: skill('{...A parent{...A} children{...A}}'),
    definitions: `fragment A on Skill{${repeat(17, (n) => `a${n}:id`)}}`,
  },
  directives: { message: /50 directives/, fields: skill(`{${repeat(51, () => 'id @include(if:true)')}}`) },
  'directives of the operation': { message: /50 directives/, head: '@x '.repeat(51), fields: '' },
  fragments: {
    message: /30 fragments/,
    fields: skill('{id}'),
    definitions: repeat(31, (n) => `fragment F${n} on Skill{id}`),
  },
  'a recursive fragment': {
    message: /F contains itself/,
    fields: skill('{...F}'),
    definitions: 'fragment F on Skill{parent{...F}}',
  },
  'mutually recursive fragments': {
    message: /contains itself/,
    fields: skill('{...A}'),
    definitions: 'fragment A on Skill{...{...B}} fragment B on Skill{parent{...C}} fragment C on Skill{...A}',
  },
  'an unused cycle': {
    message: /contains itself/,
    fields: skill('{id}'),
    definitions: 'fragment A on Skill{...B} fragment B on Skill{...A}',
  },
  'fragments that double in size': {
    message: /2000 selections/,
    fields: skill('{...F0}'),
    definitions: repeat(20, (n) => `fragment F${n} on Skill{...F${n + 1} ...F${n + 1}}`).concat(
      ' fragment F20 on Skill{id}',
    ),
  },
  'fields of the same name': { message: /same name/, fields: skill(`{${'id '.repeat(1900)}}`) },
  'rows by literals': {
    message: /5000 rows/,
    fields: skill('{operators(first:100){nodes{skills{operators(first:100){nodes{id}}}}}}'),
  },
  'rows by variables': {
    message: /5000 rows/,
    head: '($n:Int)',
    variables: { n: 100 },
    fields: skill('{operators(first:$n){nodes{skills{operators(last:$n){nodes{id}}}}}}'),
  },
  'rows by a default': {
    message: /5000 rows/,
    head: '($n:Int=100)',
    fields: skill('{operators(first:$n){nodes{skills{operators(last:$n){nodes{id}}}}}}'),
  },
  'rows inside fragments': {
    message: /5000 rows/,
    fields: skill('{operators(first:100){...A}}'),
    definitions:
      'fragment A on OperatorConnection{nodes{skills{operators(first:100){...B}}}} fragment B on OperatorConnection{nodes{id}}',
  },
  'rows offset by a negative size': {
    message: /5000 rows/,
    fields: `${skill('{operators(first:-99999999){nodes{id}}}')} ${skill(
      '{operators(first:100){nodes{skills{operators(first:100){nodes{id}}}}}}',
    ).replace('b:', 'c:')}`,
  },
  'values of many rows': {
    message: /100000 values/,
    fields: skill('{operators(first:100){nodes{skills{operators(first:8){nodes{...A ...B}}}}}}'),
    definitions: `fragment A on Operator{${repeat(20, (n) => `a${n}:name`)}} fragment B on Operator{id email roles live{chat{busy}}}`,
  },
  'long texts of many rows': {
    message: /100000 values/,
    fields: skill(`{operators(first:100){nodes{profile{${repeat(41, (n) => `d${n}:description`)}}}}}`),
  },
  'nested values': {
    message: /deeper|tokens/,
    fields: `c:skillCreate(input:${'['.repeat(2000)}${']'.repeat(2000)}){skill{id}}`,
  },
  'nested introspection': {
    message: /too many introspection fields/,
    fields: '',
    definitions: `query Other{${repeat(40, (n) => `a${n}:__schema{types{fields{type{fields{type{fields{name}}}}}}}`)}}`,
  },
};

const CREATE = 'skillCreate(input:{name:"created"}){skill{id}}';

test('an abusive document is TOO_COMPLEX before any of it runs', async (t) => {
  const documents = new DocumentCache(schema);
  documents.prepare('{viewer{id}}', undefined, {}); // the first document prepares the schema
  for (const [name, { head = '', fields, definitions = '', variables = {}, message }] of Object.entries(ABUSES)) {
    await t.test(name, async () => {
      const isQuery = definitions.startsWith('query');
      const query = isQuery ? definitions : `mutation M${head}{${CREATE} ${fields}} ${definitions}`;
      const rejected = documents.prepare(query, undefined, variables);
      assert.ok(!('document' in rejected), 'the document was accepted');
      assert.equal(rejected.length, 1);
      assert.equal(rejected[0]?.extensions.code, 'TOO_COMPLEX', rejected[0]?.message ?? '');
      assert.match(rejected[0]?.message ?? '', message);
      const response = await client.run(query, variables);
      assert.equal(response.errors[0]?.extensions.code, 'TOO_COMPLEX');
      assert.equal(response.data, undefined);
    });
  }
  const { data } = await client.run('{skills{totalCount}}');
  assert.equal(data.skills.totalCount, 0, 'a mutation of a rejected document ran');
});

test('a body over the size limit is rejected with errors too', async () => {
  const { status, errors } = await client.run(`{viewer{id}} #${'x'.repeat(2_000_000)}`);
  assert.equal(status, 413);
  assert.equal(errors.length, 1);
});

const ALL_OPERATOR_FIELDS = `id name firstName pseudo email externalId role roles chatEnabled callEnabled videoEnabled
  chatMaxNumber chatAndCall chatToVideo chatPriority callPriority videoPriority languageList languageAdmin ssoKey
  callConfig{type askPhoneNumberAtEveryConnection phoneNumber} group{id name createdAt} websites{id label url}
  skills{id name order} profile{status description facebook twitter city country}
  statistics{conversationNumber answeredNumber firstAnswerSeconds satisfactionRate experience connectedSeconds}
  live{connected chat{enabled available busy slotNumber slotMaxNumber routable blockedBy}
    call{enabled available busy slotNumber slotMaxNumber routable blockedBy}
    video{enabled available busy slotNumber slotMaxNumber routable blockedBy}}`;

test('ordinary queries and introspection are accepted', async () => {
  const full = { descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true };
  for (const query of [
    getIntrospectionQuery({ ...full, schemaDescription: true }),
    getIntrospectionQuery(),
    `{${repeat(LIMITS.rootFields, (n) => `a${n}:skills(first:100){totalCount}`)}}`,
    '{skills(first:20){nodes{id name operators(first:10){nodes{id live{chat{routable}}}}}}}',
    `{operators(first:100){nodes{${ALL_OPERATOR_FIELDS}}}}`,
    '{skills(first:100){nodes{id name operators(first:20){nodes{id name live{connected chat{busy routable} call{busy routable} video{busy routable}}}}}}}',
    '{conversations(first:100){nodes{id operator{pseudo} messages(last:10){text author}}}}',
    '{conversations{nodes{id messages{sequence}}}}',
  ]) {
    const { errors } = await client.run(query);
    assert.deepEqual(errors, []);
  }
  const deep = `{skill(id:1)${nest(LIMITS.depth - 2, '{parent', '{id}')}}`;
  assert.deepEqual((await client.run(deep)).errors, []);
  assert.equal((await client.run(`{skill(id:1)${nest(LIMITS.depth - 1, '{parent', '{id}')}}`)).errors.length, 1);
});

test('a page size from a variable counts with its value', async () => {
  const query =
    'query($n:Int!){skills(first:$n){nodes{operators(first:100){nodes{skills{operators(first:$n){nodes{id}}}}}}}}';
  assert.deepEqual((await client.run(query, { n: 2 })).errors, []);
  assert.equal((await client.run(query, { n: 50 })).errors[0]?.extensions.code, 'TOO_COMPLEX');
  for (const n of ['50', -1, 1e9, null, [2]]) {
    const code = (await client.run(query, { n })).errors[0]?.extensions.code;
    assert.ok(code === 'TOO_COMPLEX' || code === 'BAD_REQUEST', `${JSON.stringify(n)}: ${code}`);
  }
});

test('cached documents use bounded memory', (t) => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const measureHeapMb = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const documents = new DocumentCache(schema);
  const contextValue = { turns: new OperationTurns(new TurnScheduler(), 'test') };
  const fields = 'id name pseudo email roles group{id name} websites{id url} skills{id name} live{chat{busy}}';
  const prepareRange = (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const prepared = documents.prepare(`{viewer{a${n}:id ${fields}}}`, undefined, {});
      assert.ok('document' in prepared);
      prepared.parsed.uses += 1; // as if it had been run before: the next use compiles it
      if (n % 10 === 0)
        documents.run(prepared, { schema, document: prepared.document, variableValues: {}, contextValue });
    }
  };
  const before = measureHeapMb();
  prepareRange(0, 4000);
  const after = measureHeapMb() - before;
  t.diagnostic(`4,000 different documents: ${after.toFixed(0)} MB`);
  assert.ok(after < 50, `${after} MB; caching all of them would take more than 70`);
});

test('batches are rejected', async () => {
  const response = await fetch(`${switchboard.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${client.token}` },
    body: JSON.stringify([{ query: `mutation{${CREATE}}` }, { query: '{viewer{id}}' }]),
  });
  assert.equal(response.status, 400);
  const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
  assert.equal(errors[0]?.extensions.code, 'BAD_REQUEST');
  assert.equal((await client.run('{skills{totalCount}}')).data.skills.totalCount, 0);
});
