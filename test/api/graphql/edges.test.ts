import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { type GraphqlClient, type GraphqlResponse, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { restClient } from '../../support/clients/rest.ts';
import { anyCharacter } from '../../support/fixtures/any-character.ts';
import { createOperator, createResource } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let client: GraphqlClient;
before(async () => {
  switchboard = await startSwitchboard();
  client = graphqlClient(switchboard.url, await logIn(switchboard.url));
  const rest = restClient(switchboard.url, switchboard.key);
  for (const kind of ['group', 'skill']) for (const name of ['a', 'b', 'c']) await createResource(rest, kind, { name });
  await createResource(rest, 'website', { label: 'W', url: 'https://w.example.com' });
  for (let n = 0; n < 4; n++) await createOperator(rest, { skill_list: [1], group_id: 1 });
});
after(() => switchboard.stop());

test('a name of spaces is refused, and an address without a scheme is read as https', async () => {
  const create = async (type: string, input: object) => {
    const document = `mutation ($input: ${type}CreateInput!) {
      created: ${type.toLowerCase()}Create(input: $input) { userErrors { field message code } }
    }`;
    return (await client.run(document, { input })).data.created.userErrors;
  };
  for (const [type, field, rest] of [
    ['Operator', 'name', { email: 'blank@example.com' }],
    ['Website', 'label', { url: 'blank.example.com' }],
    ['Group', 'name', {}],
    ['Skill', 'name', {}],
    ['Tag', 'name', {}],
  ] as const) {
    const [error] = await create(type, { ...rest, [field]: '  ' });
    assert.deepEqual(error?.field, ['input', field], type);
    assert.match(error.message, /not only spaces/);
  }
  assert.deepEqual(await create('Website', { label: 'No scheme', url: 'www.no-scheme.example' }), []);
  const { data } = await client.run('{ websites(filter: { label: "No scheme" }) { nodes { url } } }');
  assert.deepEqual(data.websites.nodes, [{ url: 'https://www.no-scheme.example' }]);
  const document = 'mutation { apiKeyCreate(input: { name: "  ", access: READ }) { userErrors { field message } } }';
  const key = await client.run(document);
  assert.match(JSON.stringify(key.data ?? key.errors), /name/);
});

/** Queries are compiled from the second run on: the response must stay the same. */
async function runThreeTimes(query: string, variables: object): Promise<GraphqlResponse> {
  const responses = [
    await client.run(query, variables),
    await client.run(query, variables),
    await client.run(query, variables),
  ];
  const [first] = responses as [GraphqlResponse, GraphqlResponse, GraphqlResponse];
  for (const response of responses) {
    assert.ok(response.status < 500, `${response.status} ${query} ${JSON.stringify(variables).slice(0, 100)}`);
    assert.deepEqual(
      [response.data, codes(response)],
      [first.data, codes(first)],
      JSON.stringify(variables).slice(0, 200),
    );
  }
  return first;
}

function codes({ errors }: GraphqlResponse): string[] {
  return errors.map((error) => error.extensions.code);
}

const ODD_IDS = ['9007199254740993', '99999999999999999999', '1e1', '-1', '0', '', ' 1', '1 ', '01', '+1', '1.0', '\0', '1\0', '\ud800', '٣', 'x'.repeat(100_000)]; // biome-ignore format: a list

test('an impossible identifier is null in a query and UNKNOWN_ID or INVALID in a mutation', async () => {
  const read = 'query($id:ID!){operator(id:$id){id} skill(id:$id){id} group(id:$id){id} website(id:$id){id}}';
  for (const id of ODD_IDS) {
    const { data, errors } = await runThreeTimes(read, { id });
    assert.deepEqual([errors, Object.values(data)], [[], [null, null, null, null]], id.slice(0, 30));
    for (const [name, fields] of [
      ['operatorUpdate', { pseudo: 'p' }],
      ['operatorDelete', {}],
      ['operatorDisconnect', {}],
      ['operatorAvailabilityUpdate', { chat: true }],
      ['operatorProfileUpdate', { city: 'c' }],
      ['operatorSsoKeyRotate', {}],
      ['operatorInvite', {}],
      ['operatorPasswordChange', { newPassword: 'a long enough password' }],
      ['skillUpdate', { name: 'n' }],
      ['skillDelete', {}],
      ['groupUpdate', { name: 'n' }],
      ['groupDelete', {}],
      ['websiteUpdate', { label: 'n' }],
      ['websiteDelete', {}],
      ['apiKeyRevoke', {}],
      ['skillOperatorsAdd', { operatorIds: ['1'] }],
    ] as const) {
      const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input!`;
      const response = await client.run(`mutation($input:${type}){m:${name}(input:$input){userErrors{code field}}}`, {
        input: { id, ...fields },
      });
      assert.deepEqual([response.status, codes(response)], [200, []], `${name} ${id.slice(0, 30)}`);
      assert.match(response.data.m.userErrors[0]?.code, /^(UNKNOWN_ID|INVALID)$/, `${name} ${id.slice(0, 30)}`);
    }
    const relation = await client.run(
      'mutation($id:ID!){operatorUpdate(input:{id:1,groupId:$id}){userErrors{code field}} skillOperatorsRemove(input:{id:1,operatorIds:[$id]}){userErrors{code field}}}',
      { id },
    );
    assert.deepEqual(codes(relation), []);
    assert.deepEqual(relation.data.operatorUpdate.userErrors[0]?.field, ['input', 'groupId']);
    assert.equal(relation.data.skillOperatorsRemove.userErrors.length, 1);
  }
  assert.equal((await runThreeTimes('query($id:ID!){operator(id:$id){id}}', { id: 1 })).data.operator.id, '1');
  assert.equal((await runThreeTimes('query($id:ID!){operator(id:$id){id}}', { id: 1e21 })).data.operator, null);
});

test('texts that cannot be stored are INVALID, each at its field', async () => {
  for (const text of ['\0', 'a\0b', '\ud800', 'x\udfff', 'x'.repeat(500_000)]) {
    const { data, errors } = await client.run(
      `mutation($t:String!){
        a:operatorUpdate(input:{id:1,name:$t,firstName:$t,pseudo:$t,email:$t,externalId:$t,languageAdmin:$t,languageList:[$t]}){userErrors{code field}}
        b:skillCreate(input:{name:$t}){userErrors{code field}} c:groupUpdate(input:{id:1,name:$t}){userErrors{code field}}
        d:websiteUpdate(input:{id:1,url:$t,label:$t,timezone:$t,currency:$t}){userErrors{code field}}
        e:operatorProfileUpdate(input:{status:$t,city:$t}){userErrors{code field}}
        f:operatorPasswordChange(input:{currentPassword:"x",newPassword:$t}){userErrors{code field}}
        g:apiKeyCreate(input:{name:$t,access:READ}){userErrors{code field}}}`,
      { t: text },
    );
    assert.deepEqual(errors, []);
    for (const [alias, { userErrors }] of Object.entries(data as Record<string, { userErrors: { code: string }[] }>)) {
      assert.ok(userErrors.length > 0, `${alias}: ${text.slice(0, 10)}`);
      for (const error of userErrors) assert.equal(error.code, 'INVALID');
    }
    assert.deepEqual(data.a.userErrors[0].field, ['input', 'name']);
    assert.deepEqual(data.f.userErrors[0].field, ['input', 'newPassword']);
    const filtered = await runThreeTimes('query($t:String){operators(filter:{name:$t}){totalCount}}', { t: text });
    assert.deepEqual(codes(filtered), ['BAD_REQUEST']);
  }
});

test('values that do not fit their type are BAD_REQUEST', async () => {
  const cases: readonly (readonly [string, object])[] = [
    ['query($r:Role){operators(filter:{role:$r}){totalCount}}', { r: 'KING' }],
    ['query($r:Role){operators(filter:{role:$r}){totalCount}}', { r: 'admin' }],
    ['query($r:Channel){operators(filter:{routable:$r}){totalCount}}', { r: 1 }],
    ['{operators(filter:{role:KING}){totalCount}}', {}],
    ['query($n:Int){operators(first:$n){totalCount}}', { n: 2 ** 31 }],
    ['query($n:Int){operators(first:$n){totalCount}}', { n: 1.5 }],
    ['query($n:Int){operators(first:$n){totalCount}}', { n: '1' }],
    ['{operators(first:2147483648){totalCount}}', {}],
    ['query($f:OperatorFilter){operators(filter:$f){totalCount}}', { f: { unknown: '1' } }],
    ['query($f:OperatorFilter){operators(filter:$f){totalCount}}', { f: 'x' }],
    ['query($id:ID!){operator(id:$id){id}}', {}],
    ['query($id:ID!){operator(id:$id){id}}', { id: null }],
    ['query($id:ID!){operator(id:$id){id}}', { id: 1.5 }],
    ['query($id:ID!){operator(id:$id){id}}', { id: true }],
    ['query($id:ID!){operator(id:$id){id}}', { id: {} }],
    ['{operator(id:1e1){id}}', {}],
    ['{operator(id:$id){id}}', {}],
    ['query($x:Nothing){viewer{id}}', {}],
    ...[
      '',
      'now',
      '2026',
      '2026-13-01',
      '2026-02-31',
      '2026-01-31T25:00:00Z',
      '2026-01-31T10:00:00',
      '2026-01-31 (x)',
      '+010000-01-01T00:00:00Z',
      12,
      true,
      {},
    ].flatMap(
      // biome-ignore format: a list
      (t) => [['query($t:DateTime){viewer{statistics(from:$t){conversationNumber}}}', { t }] as const],
    ),
    ['{viewer{statistics(from:"2026-02-30"){conversationNumber}}}', {}],
  ];
  for (const [query, variables] of cases) {
    const response = await runThreeTimes(query, variables);
    assert.ok(response.errors.length > 0, `${query} ${JSON.stringify(variables)} was accepted`);
    assert.deepEqual(new Set(codes(response)), new Set(['BAD_REQUEST']), `${query} ${JSON.stringify(variables)}`);
  }
  const accepted = await runThreeTimes(
    'query($t:DateTime){viewer{statistics(from:$t,to:"2026-01-31"){conversationNumber}}}',
    {
      t: '2024-02-29T23:59:59.999+02:00',
      unused: 'x',
    },
  );
  assert.deepEqual(accepted.errors, []);
});

const RUNS = process.env.FULL === '1' ? 15 : 8;

const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('a', 'Name', 'fuzz@example.com', 'fr', 'https://x.example.com', '+33123456789', 'EUR'),
  },
  { weight: 2, arbitrary: fc.string({ unit: anyCharacter, maxLength: 20 }) },
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '*',
    'x'.repeat(300),
    '__proto__',
    "'; drop table operators",
    'ANSWER_FROM_PHONE',
  ),
);
const id = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 6 }).map(String) },
  fc.constantFrom(...ODD_IDS.filter((odd) => odd.length < 100)),
);
const SCALARS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ID: id,
  String: text,
  Boolean: fc.boolean(),
  Int: fc.oneof(fc.integer({ min: -1, max: 60 }), fc.constantFrom(0, 10, 2 ** 31 - 1, -(2 ** 31))),
  DateTime: fc.constantFrom('2026-01-31T09:30:00Z', '0001-01-01', '9999-12-31T23:59:59Z'),
};

/** Ordinary and odd values that fit a type of the schema. */
function arbitraryOf(type: GraphQLInputType): fc.Arbitrary<unknown> {
  const inner = getNullableType(type) as GraphQLInputType;
  const value = isListType(inner)
    ? fc.array(arbitraryOf(inner.ofType as GraphQLInputType), { maxLength: 3 })
    : isEnumType(inner)
      ? fc.constantFrom(...inner.getValues().map((option) => option.name))
      : isInputObjectType(inner)
        ? arbitraryInputOf(inner)
        : (SCALARS[String(inner)] as fc.Arbitrary<unknown>);
  assert.ok(value, `no values for ${type}`);
  return isNonNullType(type) ? value : fc.option(value, { freq: 8 });
}

function arbitraryInputOf(type: Extract<GraphQLInputType, { getFields(): unknown }>): fc.Arbitrary<unknown> {
  const fields = Object.values(
    (type as { getFields(): Record<string, { name: string; type: GraphQLInputType }> }).getFields(),
  );
  const required = fields.filter((field) => isNonNullType(field.type)).map((field) => field.name);
  return fc.record(Object.fromEntries(fields.map((field) => [field.name, arbitraryOf(field.type)])), {
    requiredKeys: required,
  });
}

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

test('inputs that fit the types never cause INTERNAL, and leave the data consistent', async (t) => {
  for (const { name, args, type } of mutations) {
    const input = args[0]?.type as GraphQLInputType;
    const payload = getNullableType(type);
    assert.ok(isObjectType(payload));
    const resultField = Object.keys(payload.getFields()).find((field) => field !== 'userErrors' && field !== 'key');
    const isLeaf = resultField === 'deletedId';
    const query = `mutation($input:${input}){m:${name}(input:$input){${resultField}${isLeaf ? '' : '{__typename}'} userErrors{code message field}}}`;
    await fc.assert(
      fc.asyncProperty(arbitraryOf(input), async (value) => {
        // The operator whose token this client uses must stay unchanged.
        const safeInput = { ...(value as object) } as { id?: unknown };
        if (
          name.startsWith('operator') &&
          (safeInput.id === undefined || safeInput.id === null || safeInput.id === '1')
        )
          safeInput.id = '3';
        if (name === 'operatorConnect' || name === 'operatorsImport') delete safeInput.id;
        const response = await client.run(query, {
          input: 'id' in (value as object) || safeInput.id === '3' ? safeInput : value,
        });
        assert.ok(response.status < 500, `${response.status}`);
        for (const code of codes(response))
          assert.match(code, /^(BAD_REQUEST|FORBIDDEN|RATE_LIMITED)$/, JSON.stringify(response.errors));
        const m = response.data?.m;
        if (m) assert.ok((m[resultField as string] === null) === m.userErrors.length > 0, JSON.stringify(m));
      }),
      { numRuns: RUNS },
    );
  }
  t.diagnostic(`${mutations.length} mutations, ${RUNS} inputs each`);
  const { code, stdout, stderr } = await switchboard.runCommand(['doctor']);
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(
    switchboard
      .log()
      .split('\n')
      .filter((line) => /"level":(50|60)/.test(line)),
    [],
  );
});

test('a skill is added to at most 1000 operators per mutation', async () => {
  const operatorIds = Array.from({ length: 1001 }, (_, index) => String(index + 1));
  const { data } = await client.run(
    'mutation($ids:[ID!]!){skillOperatorsAdd(input:{id:1,operatorIds:$ids}){skill{id} userErrors{field code}}}',
    { ids: operatorIds },
  );
  assert.deepEqual(data.skillOperatorsAdd, {
    skill: null,
    userErrors: [{ field: ['input', 'operatorIds'], code: 'INVALID' }],
  });
});
