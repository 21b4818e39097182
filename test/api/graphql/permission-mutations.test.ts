import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import type { GraphqlResponse } from '../../support/clients/graphql.ts';
import { createMutationCases, type MutationCase, type MutationCases, uniqueName } from './permission-cases.ts';
import { openPermissionFixture, outcomeOf, type PermissionFixture, selectAllFields } from './permission-operators.ts';
import {
  type Cells,
  findCell,
  hasTargets,
  MUTATIONS,
  type Target,
  TESTED_TARGETS,
  TESTED_VIEWERS,
  UPDATES,
  type Viewer,
} from './permission-table.ts';

let fixture: PermissionFixture;
let cases: MutationCases['cases'];
let prepareCase: MutationCases['prepareCase'];
let createDisposable: MutationCases['createDisposable'];
before(async () => {
  fixture = await openPermissionFixture();
  ({ cases, prepareCase, createDisposable } = createMutationCases(fixture));
});
after(() => fixture.stop());

/** A mutation that selects every field of its payload. */
function buildMutation(name: string): string {
  const field = schema.getMutationType()?.getFields()[name];
  const payloadType = field && 'ofType' in field.type ? field.type.ofType : undefined;
  assert.ok(field && isObjectType(payloadType), name);
  const report = selectAllFields('OperatorsImportReport').replace('__typename', 'outcome userErrors { message }');
  const fields = selectAllFields(payloadType.name)
    .replace('report { __typename }', `report { ${report} }`)
    .replace('userErrors { __typename }', 'userErrors { field message code }');
  return `mutation($input: ${String(field.args[0]?.type)}) { ${name}(input: $input) { ${fields} } }`;
}

/** Managers get a forbidden row in the report; for other viewers the whole import is forbidden. */
function outcomeOfImport(response: GraphqlResponse): string {
  const report = response.data?.operatorsImport?.report;
  if (!report) return outcomeOf(response);
  const [row] = report.rows;
  if (report.applied && row.outcome === 'UPDATED') return 'allowed';
  return !report.applied && /not allowed/.test(row.userErrors[0]?.message) ? 'forbidden' : JSON.stringify(report);
}

/** Accepting another operator's offer fails with the same code as an offer that has ended. */
function outcomeOfOffer(response: GraphqlResponse): string {
  const [error] = Object.values<{ userErrors: { code: string }[] }>(response.data ?? {})[0]?.userErrors ?? [];
  return error?.code === 'STATE' ? 'forbidden' : outcomeOf(response);
}

async function checkCell(
  name: string,
  cells: Cells,
  viewer: Viewer,
  target: Target,
  testCase: MutationCase,
): Promise<void> {
  const position = await fixture.readPosition();
  const response = await (testCase.actingOperator ?? fixture.viewers[viewer]).run(buildMutation(name), {
    input: testCase.input,
  });
  const hasRowOutcomes = name === 'operatorsImport' && viewer !== 'expert' && viewer !== 'operator';
  const isOffer = name.startsWith('offer');
  const outcome = hasRowOutcomes ? outcomeOfImport(response) : isOffer ? outcomeOfOffer(response) : outcomeOf(response);
  const label = `${name} for ${viewer} on ${target}: ${JSON.stringify(testCase.input)}`;
  assert.equal(outcome, findCell(cells, viewer, target), label);
  if (outcome === 'forbidden') assert.equal(await fixture.countEventsAfter(position), 0, `${label} logged an event`);
}

test('every mutation has a case', () => {
  const names = [...MUTATIONS.keys()].map((name) => name.split('.')[1]);
  assert.deepEqual(Object.keys(cases).sort(), names.sort());
});

for (const [key, cells] of MUTATIONS) {
  const name = key.split('.')[1] as string;
  for (const viewer of TESTED_VIEWERS) {
    test(`${name} for ${viewer} matches the permission table`, async () => {
      for (const target of hasTargets(cells) ? TESTED_TARGETS : (['self'] as const)) {
        if (findCell(cells, viewer, target) === undefined) continue;
        await checkCell(name, cells, viewer, target, await prepareCase(name, cells, viewer, target));
      }
    });
  }
}

/** For each field of an update a value that differs from the current one and that a manager may set. */
const CHANGES: Record<string, () => unknown> = {
  name: () => uniqueName('name'),
  firstName: () => uniqueName('first'),
  pseudo: () => uniqueName('pseudo'),
  email: () => `${uniqueName('changed').replace(' ', '')}@example.com`,
  externalId: () => uniqueName('external'),
  roles: () => ['EXPERT', 'OPERATOR'],
  languageList: () => ['fr', 'de'],
  languageAdmin: () => 'fr',
  callConfig: () => ({ askPhoneNumberAtEveryConnection: true }),
  groupId: () => fixture.groups.ownGroup,
  websiteIds: () => [],
  skillIds: () => [],
  chatEnabled: () => false,
  callEnabled: () => true,
  videoEnabled: () => true,
  chatMaxNumber: () => 7,
  chatAndCall: () => true,
  chatToVideo: () => true,
  chatPriority: () => 10,
  callPriority: () => 10,
  videoPriority: () => 10,
  password: () => 'yet another password of this test',
};

/** A change can move an operator to another cell of the table. */
const MOVES: readonly string[] = ['roles', 'groupId'];
const subjects = new Map<string, ReturnType<typeof createDisposable>>();

/** An operator whom no other viewer has changed, so that the value differs from the current one. */
function prepareSubject(name: string, viewer: Viewer, target: Target): ReturnType<typeof createDisposable> {
  if (MOVES.includes(name)) return createDisposable(viewer, target);
  const key = `${viewer} ${target}`;
  const subject = subjects.get(key) ?? createDisposable(viewer, target);
  subjects.set(key, subject);
  return subject;
}

for (const [key, cells] of UPDATES) {
  const name = key.split('.')[1] as string;
  for (const viewer of TESTED_VIEWERS) {
    test(`operatorUpdate with ${name} for ${viewer} matches the permission table`, async () => {
      for (const target of TESTED_TARGETS) {
        if (findCell(cells, viewer, target) === undefined) continue;
        const isDisposable = findCell(cells, viewer, target) === 'allowed' && (name === 'roles' || target !== 'self');
        const subject = isDisposable
          ? await prepareSubject(name, viewer, target)
          : { id: fixture.target(viewer, target) };
        const { id, ...standIn } = subject;
        const value = CHANGES[name]?.();
        assert.notEqual(value, undefined, `no value for ${name}`);
        await checkCell('operatorUpdate', cells, viewer, target, { input: { id, [name]: value }, ...standIn });
      }
    });
  }
}
