import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildSchema,
  type ExecutionResult,
  execute,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { planQuery, type QueryPlan } from '../../../src/api/graphql-server/query-plan.ts';
import { runQueryPlan } from '../../../src/api/graphql-server/run-query-plan.ts';

const schema = buildSchema(`
  type Query { box: Box boxes: [Box] strict: [Box!] strictBox: Box! number: Int numbers: [Int!]! echo(value: In): String }
  type Box { id: ID! name: String inner: Box! list: [Box!]! numbers: [Int] word(times: Int = 2): String! }
  input In { text: String list: [Int!] }
`);

const fail = (message: string) => () => {
  throw new Error(message);
};
const later = <T>(value: T) => new Promise<T>((resolve) => setImmediate(() => resolve(value)));
const rejectLater = (message: string) => later(undefined).then(fail(message));
const box = (fields: object) => ({ id: 1, name: 'box', ...fields });
const word = ({ times }: { times: number }) => 'word '.repeat(times);

/** Values of the root that cover every way in which a value can arrive or be missing. */
const ROOTS: Record<string, () => object> = {
  'values at hand': () => ({
    box: box({ word, inner: box({ numbers: [1, null] }), list: [box({}), box({})] }),
    number: 3,
  }),
  promises: () => ({
    box: later(box({ word: () => later('w'), inner: later(box({})), list: later([later(box({})), box({})]) })),
  }),
  'a resolver that throws': () => ({
    box: { id: fail('no id'), name: fail('no name'), word },
    number: fail('no number'),
  }),
  'a promise that rejects': () => ({
    box: box({ inner: () => rejectLater('no inner'), name: () => rejectLater('no name') }),
  }),
  'an Error as a value': () => ({ box: box({ name: new Error('no name'), word }), number: new Error('no number') }),
  'null where it is not allowed': () => ({
    box: box({ word: null }),
    strict: [box({}), null],
    strictBox: null,
    numbers: [1, null],
  }),
  'a rejected item': () => ({
    strict: () => [box({}), rejectLater('no box')],
    boxes: () => [box({}), rejectLater('no box'), null],
  }),
  'a value of another type': () => ({
    box: box({ list: 5, numbers: 'abc', word }),
    number: 'abc',
    boxes: {},
    numbers: [1, 'x'],
  }),
  'a missing value deep inside': () => ({
    boxes: [box({ list: [box({ inner: box({ inner: null }) })] }), box({ word })],
  }),
  'a missing value that comes later': () => ({
    boxes: [box({ list: later([box({ inner: later(null) })]) }), box({ word })],
  }),
  'the whole result is null': () => ({ strictBox: () => rejectLater('no box'), number: 1 }),
};

const QUERIES = [
  '{ box { id name word inner { id numbers } list { id } } number }',
  '{ box { word(times: 3) other: word(times: 1) } boxes { id list { inner { inner { id } } } } }',
  '{ strict { id name } boxes { id word } number numbers }',
  '{ number strictBox { id } box { id } }',
  '{ box { ...a ... on Box { inner { id } } inner { name } } } fragment a on Box { inner { numbers } __typename }',
];

/** Errors have no order: they are listed as they happen. */
const normalize = ({ data, errors = [] }: ExecutionResult) => ({
  data: JSON.stringify(data),
  errors: errors.map((error) => JSON.stringify({ ...error.toJSON(), cause: error.originalError?.message })).sort(),
});

function plan(text: string): QueryPlan {
  const document = parse(text);
  assert.deepEqual(validate(schema, document), []);
  const planned = planQuery(schema, document, getOperationAST(document) as OperationDefinitionNode);
  assert.ok(planned, `${text} is not planned`);
  return planned;
}

for (const [name, createRoot] of Object.entries(ROOTS)) {
  for (const text of QUERIES) {
    test(`${name}: ${text} has the result of graphql-js`, async () => {
      const expected = await execute({ schema, document: parse(text), rootValue: createRoot() });
      const actual = await runQueryPlan(schema, plan(text), {}, createRoot(), {});
      assert.deepEqual(normalize(actual), normalize(expected));
    });
  }
}

for (const variables of [{}, { text: 'a', list: [1] }, { text: null }, { list: [null] }, { text: 5 }] as const) {
  test(`variables ${JSON.stringify(variables)} inside an object have the result of graphql-js`, async () => {
    const text = 'query($text: String, $list: [Int!]) { echo(value: { text: $text, list: $list }) }';
    const rootValue = { echo: (args: object) => JSON.stringify(args) };
    const expected = await execute({ schema, document: parse(text), rootValue, variableValues: variables });
    const actual = await runQueryPlan(schema, plan(text), variables, rootValue, {});
    assert.deepEqual(normalize(actual), normalize(expected));
  });
}
