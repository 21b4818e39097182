import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GraphQLObjectType, type GraphQLResolveInfo, printSchema } from 'graphql';
import { CHECKED_PROPERTY } from '../../../src/api/graphql/full-read-schema.ts';
import { fullReadSchema, schema } from '../../../src/api/graphql/schema.ts';
import { type AccessLevel, type Caller, fullAccessCaller, SYSTEM } from '../../../src/core/kernel/caller.ts';
import { ROLES } from '../../../src/core/kernel/roles.ts';
import { canRead, canReadEveryOperator } from '../../../src/core/operators/permissions.ts';

const LEVELS: readonly AccessLevel[] = ['expert', 'operator', 'manager', 'admin'];
const OPERATORS = ROLES.flatMap((role) => [null, 1].map((groupId) => ({ id: 2, groupId, roles: [role] })));

const toCaller = (accessLevel: AccessLevel): Caller => ({ ...fullAccessCaller(1, SYSTEM), accessLevel, operatorId: 3 });

test('a caller can read every operator exactly if no check of one fails', () => {
  for (const level of LEVELS) {
    const caller = toCaller(level);
    const isAlwaysAllowed = OPERATORS.every((operator) =>
      (['names', 'details'] as const).every((part) => canRead(caller, operator, part)),
    );
    assert.equal(canReadEveryOperator(caller), isAlwaysAllowed, level);
  }
});

test('the schema without read checks has the same types', () => {
  assert.equal(printSchema(fullReadSchema), printSchema(schema));
});

test('each field without a check returns the property that it returns with the check', () => {
  const fields = Object.values((schema.getType('Operator') as GraphQLObjectType).getFields());
  const checked = fields.filter(({ extensions }) => extensions[CHECKED_PROPERTY]);
  assert.ok(checked.length >= 15, `${checked.length} fields`);
  const context = { caller: toCaller('admin') };
  for (const { name, resolve } of checked) {
    const operator = { id: 2, groupId: null, roles: [], [name]: `value of ${name}` };
    assert.equal(resolve?.(operator, {}, context, {} as GraphQLResolveInfo), `value of ${name}`);
    const { resolve: unchecked } = (fullReadSchema.getType('Operator') as GraphQLObjectType).getFields()[name] ?? {};
    assert.equal(unchecked, undefined, name);
  }
});
