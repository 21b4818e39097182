import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getIntrospectionQuery } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { Documents } from '../../../src/api/graphql-server/documents.ts';
import { LIMITS } from '../../../src/api/graphql-server/limits.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let client: GraphqlClient;
before(async () => {
  switchboard = await startSwitchboard();
  client = graphqlClient(switchboard.url, await logIn(switchboard.url));
});
after(() => switchboard.stop());

const times = (count: number, make: (index: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, index) => make(index)).join(between);
const nested = (depth: number, open: string, inside: string) => open.repeat(depth) + inside + '}'.repeat(depth);

interface Abuse {
  readonly says: RegExp;
  /** What stands at the root beside a harmless mutation. */
  readonly fields: string;
  readonly definitions?: string;
  readonly variables?: Record<string, unknown>;
  readonly head?: string;
}

const SKILL = 'skillUpdate(input:{id:1}){skill';
const skill = (selection: string) => `b:${SKILL}${selection}}`;

/** Each is a mutation, so that one can see that nothing of it was carried out. */
const ABUSES: Readonly<Record<string, Abuse>> = {
  'a long document': { says: /50000 characters/, fields: ' '.repeat(LIMITS.length) },
  'a document of 1 MB': { says: /characters/, fields: `#${'x'.repeat(900_000)}\n` },
  'many words': { says: /5000 words/, fields: skill(`{${'id '.repeat(LIMITS.tokens)}}`) },
  'depth 100': { says: /deeper than 15/, fields: skill(nested(100, '{parent', '{id}')) },
  'depth through fragments': {
    says: /deeper than 15/,
    fields: skill('{...F0}'),
    definitions: times(20, (n) => `fragment F${n} on Skill{parent{...F${n + 1}}}`).concat(' fragment F20 on Skill{id}'),
  },
  '1,000 aliases': { says: /aliases|words/, fields: skill(`{${times(1000, (n) => `a${n}:id`)}}`) },
  'aliases at the root': { says: /fields at the root|aliases/, fields: times(60, (n) => `a${n}:${SKILL}{id}}`) },
  'root fields in fragments': {
    says: /30 fields at the root/,
    fields: '...R ...{...R}',
    definitions: `fragment R on Mutation{${times(16, (n) => `a${n}:${SKILL}{id}}`)}}`,
  },
  'aliases through fragments': {
    says: /50 aliases/,
    fields: skill('{...A parent{...A} children{...A}}'),
    definitions: `fragment A on Skill{${times(17, (n) => `a${n}:id`)}}`,
  },
  directives: { says: /50 directives/, fields: skill(`{${times(51, () => 'id @include(if:true)')}}`) },
  'directives of the operation': { says: /50 directives/, head: '@x '.repeat(51), fields: '' },
  fragments: {
    says: /50 fragments/,
    fields: skill('{id}'),
    definitions: times(51, (n) => `fragment F${n} on Skill{id}`),
  },
  'a fragment in itself': {
    says: /F contains itself/,
    fields: skill('{...F}'),
    definitions: 'fragment F on Skill{parent{...F}}',
  },
  'fragments in each other': {
    says: /contains itself/,
    fields: skill('{...A}'),
    definitions: 'fragment A on Skill{...{...B}} fragment B on Skill{parent{...C}} fragment C on Skill{...A}',
  },
  'a cycle that nothing uses': {
    says: /contains itself/,
    fields: skill('{id}'),
    definitions: 'fragment A on Skill{...B} fragment B on Skill{...A}',
  },
  'fragments that double': {
    says: /5000 selections/,
    fields: skill('{...F0}'),
    definitions: times(40, (n) => `fragment F${n} on Skill{...F${n + 1} ...F${n + 1}}`).concat(
      ' fragment F40 on Skill{id}',
    ),
  },
  'fields of the same name': { says: /same name/, fields: skill(`{${'id '.repeat(4500)}}`) },
  'rows by literals': {
    says: /20000 rows/,
    fields: skill('{operators(first:100){nodes{skills{operators(first:100){nodes{id}}}}}}'),
  },
  'rows by variables': {
    says: /20000 rows/,
    head: '($n:Int)',
    variables: { n: 100 },
    fields: skill('{operators(first:$n){nodes{skills{operators(last:$n){nodes{id}}}}}}'),
  },
  'rows by a default': {
    says: /20000 rows/,
    head: '($n:Int=100)',
    fields: skill('{operators(first:$n){nodes{skills{operators(last:$n){nodes{id}}}}}}'),
  },
  'rows behind fragments': {
    says: /20000 rows/,
    fields: skill('{operators(first:100){...A}}'),
    definitions:
      'fragment A on OperatorConnection{nodes{skills{operators(first:100){...B}}}} fragment B on OperatorConnection{nodes{id}}',
  },
  'rows made up for by a negative size': {
    says: /20000 rows/,
    fields: `${skill('{operators(first:-99999999){nodes{id}}}')} ${skill(
      '{operators(first:100){nodes{skills{operators(first:100){nodes{id}}}}}}',
    ).replace('b:', 'c:')}`,
  },
  'values in values': {
    says: /deeper|words/,
    fields: `c:skillCreate(input:${'['.repeat(2000)}${']'.repeat(2000)}){skill{id}}`,
  },
  'the schema of the schema of the schema': {
    says: /too much of the schema/,
    fields: '',
    definitions: `query Other{${times(40, (n) => `a${n}:__schema{types{fields{type{fields{type{fields{name}}}}}}}`)}}`,
  },
};

const CREATE = 'skillCreate(input:{name:"carried out"}){skill{id}}';

test('abuse is TOO_COMPLEX before anything of the document has run', async (t) => {
  const documents = new Documents(schema);
  documents.read('{viewer{id}}', undefined, {}); // the first look at a schema prepares it
  for (const [name, { head = '', fields, definitions = '', variables = {}, says }] of Object.entries(ABUSES)) {
    await t.test(name, async () => {
      const described = definitions.startsWith('query');
      const query = described ? definitions : `mutation M${head}{${CREATE} ${fields}} ${definitions}`;
      const refused = documents.read(query, undefined, variables);
      assert.ok(!('document' in refused), 'it was taken');
      assert.equal(refused.length, 1);
      assert.equal(refused[0]?.extensions.code, 'TOO_COMPLEX', refused[0]?.message ?? '');
      assert.match(refused[0]?.message ?? '', says);
      const answer = await client.run(query, variables);
      assert.equal(answer.errors[0]?.extensions.code, 'TOO_COMPLEX');
      assert.equal(answer.data, undefined);
    });
  }
  const { data } = await client.run('{skills{totalCount}}');
  assert.equal(data.skills.totalCount, 0, 'a mutation of a refused document was carried out');
});

test('a body beyond what is read at all is refused with errors, too', async () => {
  const { status, errors } = await client.run(`{viewer{id}} #${'x'.repeat(2_000_000)}`);
  assert.equal(status, 413);
  assert.equal(errors.length, 1);
});

test('what people and tools ask passes', async () => {
  const full = { descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true };
  for (const query of [
    getIntrospectionQuery({ ...full, schemaDescription: true }),
    getIntrospectionQuery(),
    `{${times(LIMITS.rootFields, (n) => `a${n}:skills(first:100){totalCount}`)}}`,
    '{skills(first:20){nodes{id name operators(first:10){nodes{id live{chat{routable}}}}}}}',
    '{operators(first:100){nodes{...All}}} fragment All on Operator{id name group{id} websites{id} skills{id} live{connected}}',
  ]) {
    const { errors } = await client.run(query);
    assert.deepEqual(errors, []);
  }
  const deep = `{skill(id:1)${nested(LIMITS.depth - 2, '{parent', '{id}')}}`;
  assert.deepEqual((await client.run(deep)).errors, []);
  assert.equal((await client.run(`{skill(id:1)${nested(LIMITS.depth - 1, '{parent', '{id}')}}`)).errors.length, 1);
});

test('a size that a variable makes small is small', async () => {
  const query =
    'query($n:Int!){skills(first:$n){nodes{operators(first:100){nodes{skills{operators(first:$n){nodes{id}}}}}}}}';
  assert.deepEqual((await client.run(query, { n: 2 })).errors, []);
  assert.equal((await client.run(query, { n: 50 })).errors[0]?.extensions.code, 'TOO_COMPLEX');
  for (const n of ['50', -1, 1e9, null, [2]]) {
    const code = (await client.run(query, { n })).errors[0]?.extensions.code;
    assert.ok(code === 'TOO_COMPLEX' || code === 'BAD_REQUEST', `${JSON.stringify(n)}: ${code}`);
  }
});

test('documents are remembered within a bounded memory', (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const documents = new Documents(schema);
  const fields = 'id name pseudo email roles group{id name} websites{id url} skills{id name} live{chat{busy}}';
  const read = (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const known = documents.read(`{viewer{a${n}:id ${fields}}}`, undefined, {});
      assert.ok('document' in known);
      known.uses += 1; // as if it had been run before: the next use compiles it
      if (n % 10 === 0) documents.run(known, { schema, document: known.document, variableValues: {} });
    }
  };
  const before = used();
  read(0, 4000);
  const after = used() - before;
  t.diagnostic(`4,000 different documents: ${after.toFixed(0)} MB`);
  assert.ok(after < 50, `${after} MB; it would be more than 70 if all were remembered`);
});

test('batches are refused', async () => {
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
