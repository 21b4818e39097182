import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
  isScalarType,
} from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { createMutationCases, type MutationCases } from './permission-cases.ts';
import { openPermissionFixture, outcomeOf, type PermissionFixture } from './permission-operators.ts';
import {
  type Cells,
  findCell,
  hasTargets,
  MUTATIONS,
  TARGETS,
  type Target,
  UPDATES,
  VIEWERS,
  type Viewer,
} from './permission-table.ts';

// Input errors are for callers who may make the change: to all others every input is FORBIDDEN.

let fixture: PermissionFixture;
let prepareCase: MutationCases['prepareCase'];
before(async () => {
  fixture = await openPermissionFixture();
  ({ prepareCase } = createMutationCases(fixture));
});
after(() => fixture.stop());

/** Longer than every list and every text may be. */
const TOO_MANY = 1001;
const TOO_LONG = 'x\u0000'.repeat(5001);

/** Texts for the fields without which GraphQL itself would refuse the object. */
function createRequiredFields(type: GraphQLInputObjectType): object {
  const required = Object.values(type.getFields()).filter(isRequiredInputField);
  return Object.fromEntries(required.map(({ name }) => [name, 'not valid']));
}

/** A value of the type that no mutation accepts; undefined if every value is valid. */
function createInvalidValue(type: GraphQLInputType): unknown {
  const nullableType = getNullableType(type);
  if (isListType(nullableType)) {
    const itemType = getNullableType(nullableType.ofType);
    if (isEnumType(itemType)) return undefined;
    const item = isInputObjectType(itemType) ? createRequiredFields(itemType) : 'not valid';
    return Array.from({ length: TOO_MANY }, () => item);
  }
  if (!isScalarType(nullableType)) return undefined;
  return { String: TOO_LONG, ID: 'not valid', Int: -2_000_000_000 }[nullableType.name];
}

/** The fields of a mutation's input that identify its target. */
function findTargetFields(mutation: string): readonly string[] {
  // Sessions belong to an operator.
  return mutation.startsWith('session') ? ['operatorId'] : ['id', 'conversationId', 'operatorIds', 'groupId'];
}

function getInputFields(mutation: string) {
  const type = getNullableType(schema.getMutationType()?.getFields()[mutation]?.args[0]?.type);
  assert.ok(isInputObjectType(type), mutation);
  return { inputType: type.name, fields: Object.values(type.getFields()) };
}

/** Inputs with a single invalid field; and with invalid fields only, and, if no other field is required, without any. */
function createInvalidInputs(
  mutation: string,
  validInput: object,
  keepsTarget: boolean,
): { readonly single: object[]; readonly all: object[] } {
  const isTarget = ({ name }: { name: string }) => keepsTarget && findTargetFields(mutation).includes(name);
  const { fields } = getInputFields(mutation);
  const target = Object.fromEntries(Object.entries(validInput).filter(([name]) => isTarget({ name })));
  const invalidFields = fields
    .filter((field) => !isTarget(field))
    .map(({ name, type }) => ({ [name]: createInvalidValue(type) }))
    .filter((field) => Object.values(field)[0] !== undefined);
  return {
    single: invalidFields.map((field) => ({ ...validInput, ...field })),
    all: [
      { ...validInput, ...Object.assign({}, ...invalidFields) },
      ...(fields.some((field) => isRequiredInputField(field) && !isTarget(field)) ? [] : [target]),
    ],
  };
}

async function assertForbidden(mutation: string, viewer: Viewer, input: object, label: string): Promise<void> {
  const { inputType } = getInputFields(mutation);
  const document = `mutation($input: ${inputType}!) { ${mutation}(input: $input) { userErrors { code field } } }`;
  const response = await fixture.viewers[viewer].run(document, { input });
  const outcome = outcomeOf(response).slice(0, 500);
  if (outcome !== 'forbidden') assert.fail(`${label}: ${outcome} for ${JSON.stringify(input).slice(0, 300)}`);
}

function findForbiddenTargets(cells: Cells, viewer: Viewer): readonly Target[] {
  const targets = hasTargets(cells) ? TARGETS : (['self'] as const);
  return targets.filter((target) => findCell(cells, viewer, target) === 'forbidden');
}

/** Managers get the errors of an import by row, and other operators' offers count as ended. */
function hasOtherAnswer(mutation: string, viewer: Viewer): boolean {
  return mutation.startsWith('offer') || (mutation === 'operatorsImport' && viewer.startsWith('manager'));
}

for (const [key, cells] of MUTATIONS) {
  const mutation = key.split('.')[1] as string;
  const viewers = VIEWERS.filter(
    (viewer) => findForbiddenTargets(cells, viewer).length > 0 && !hasOtherAnswer(mutation, viewer),
  );
  if (viewers.length === 0) continue;
  test(`${mutation} with invalid input is forbidden to callers without the permission`, async () => {
    for (const viewer of viewers) {
      for (const [index, target] of findForbiddenTargets(cells, viewer).entries()) {
        const { input: validInput } = await prepareCase(mutation, cells, viewer, target);
        const { single, all } = createInvalidInputs(mutation, validInput, hasTargets(cells));
        // Each field by itself only for the first target: the order of the checks is the same for all.
        for (const input of index === 0 ? [...single, ...all] : all)
          await assertForbidden(mutation, viewer, input, `${viewer} on ${target}`);
      }
    }
  });
}

test('every field of operatorUpdate with an invalid value is forbidden to callers without the permission', async () => {
  for (const { name, type } of getInputFields('operatorUpdate').fields) {
    const cells = UPDATES.get(`OperatorUpdateInput.${name}`);
    const value = createInvalidValue(type);
    if (!cells || value === undefined) continue;
    for (const viewer of VIEWERS) {
      for (const target of findForbiddenTargets(cells, viewer)) {
        const input = { id: fixture.target(viewer, target), [name]: value };
        await assertForbidden('operatorUpdate', viewer, input, `${viewer} on ${target}`);
      }
    }
  }
});

const UNKNOWN_ID = '900001';

/** For each mutation with a target, the field that identifies it, and other input that is not valid. */
const UNKNOWN_TARGETS: Record<string, { readonly by: 'id' | 'conversationId'; readonly invalid: object }> = {
  operatorUpdate: { by: 'id', invalid: { email: 'x' } },
  operatorDelete: { by: 'id', invalid: {} },
  operatorAvailabilityUpdate: { by: 'id', invalid: {} },
  operatorDisconnect: { by: 'id', invalid: {} },
  operatorProfileUpdate: { by: 'id', invalid: { description: 'x'.repeat(6000) } },
  operatorPasswordChange: { by: 'id', invalid: { newPassword: '' } },
  operatorSsoKeyRotate: { by: 'id', invalid: {} },
  twoFactorReset: { by: 'id', invalid: {} },
  messageSend: { by: 'conversationId', invalid: { clientId: 'a', text: '' } },
  typing: { by: 'conversationId', invalid: {} },
  conversationRead: { by: 'id', invalid: { upTo: -1 } },
  conversationTransfer: { by: 'id', invalid: { operatorId: 'not valid' } },
  conversationTag: { by: 'id', invalid: { tagIds: ['not valid'] } },
  conversationClose: { by: 'id', invalid: { text: '' } },
  messageLeftResolve: { by: 'id', invalid: {} },
  messageLeftReopen: { by: 'id', invalid: {} },
  messageLeftAssign: { by: 'id', invalid: { operatorId: 'not valid' } },
  conversationTake: { by: 'id', invalid: { operatorId: 'not valid' } },
};

for (const [mutation, { by, invalid }] of Object.entries(UNKNOWN_TARGETS)) {
  const cells =
    mutation === 'operatorUpdate' ? UPDATES.get('OperatorUpdateInput.email') : MUTATIONS.get(`Mutation.${mutation}`);
  test(`${mutation} of an unknown object is forbidden to callers who may do it to no object, and unknown to others`, async () => {
    assert.ok(cells);
    const { inputType } = getInputFields(mutation);
    const document = `mutation($input: ${inputType}!) { ${mutation}(input: $input) { userErrors { code field } } }`;
    for (const viewer of VIEWERS) {
      const isAllowed = TARGETS.some((target) => findCell(cells, viewer, target) === 'allowed');
      for (const id of [UNKNOWN_ID, 'not valid']) {
        const response = await fixture.viewers[viewer].run(document, { input: { [by]: id, ...invalid } });
        const { userErrors } = response.data?.[mutation] ?? {};
        const outcome = userErrors ? JSON.stringify(userErrors) : outcomeOf(response);
        assert.equal(outcome, isAllowed ? '[{"code":"UNKNOWN_ID","field":null}]' : 'forbidden', `${viewer} ${id}`);
      }
    }
  });
}

test('an operator whom an earlier mutation of the request created is not unknown', async () => {
  const { run } = fixture.viewers.admin;
  const created = await run('mutation{operatorCreate(input:{name:"A",email:"before@example.com"}){operator{id}}}');
  const nextId = Number(created.data.operatorCreate.operator.id) + 1;
  const update = `operatorUpdate(input:{id:${nextId},email:"x"}){userErrors{code}}`;
  const create = 'operatorCreate(input:{name:"B",email:"after@example.com"}){operator{id}}';
  const { data } = await run(`mutation{first:${update} ${create} second:${update}}`);
  assert.deepEqual(data, {
    first: { userErrors: [{ code: 'UNKNOWN_ID' }] },
    operatorCreate: { operator: { id: String(nextId) } },
    second: { userErrors: [{ code: 'INVALID' }] },
  });
});
