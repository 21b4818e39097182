import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { minifyIntrospection, outputIntrospectionFile } from 'gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const CONSUMER = `
import { graphql, type ResultOf, type VariablesOf } from 'gql.tada';

const page = graphql(\`
  query Page($after: String, $filter: OperatorFilter) {
    operators(first: 20, after: $after, filter: $filter) {
      nodes { id pseudo roles live { chat { blockedBy } } group { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
\`);
const rename = graphql(\`
  mutation Rename($input: OperatorUpdateInput!) {
    operatorUpdate(input: $input) { operator { id pseudo } userErrors { field message code } }
  }
\`);
const availability = graphql(\`
  subscription Availability($skill: ID!) { skillAvailability(id: $skill) { chat { isAvailable freeSlots } } }
\`);

declare const answer: ResultOf<typeof page>;
declare const changed: ResultOf<typeof rename>;
declare const event: ResultOf<typeof availability>;

export const id: string | undefined = answer.operators?.nodes[0]?.id;
export const reasons: readonly ('OFFLINE' | 'IN_GRACE' | 'NOT_ENABLED' | 'NOT_AVAILABLE' | 'SLOTS_FULL' | 'ON_CALL'
  | 'ON_VIDEO' | 'ON_CHAT')[] | undefined = answer.operators?.nodes[0]?.live?.chat.blockedBy;
export const next: string | null | undefined = answer.operators?.pageInfo.endCursor;
export const code: 'MISSING' | 'INVALID' | 'UNKNOWN_ID' | 'CONFLICT' | 'LIMIT' | 'STATE' | undefined =
  changed.operatorUpdate?.userErrors[0]?.code;
export const slots: number = event.skillAvailability.chat.freeSlots;
export const filter: VariablesOf<typeof page> = { filter: { connected: true, routable: 'CHAT', role: 'EXPERT' } };
`;

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-types-'));
  symlinkSync(join(ROOT, 'test/node_modules'), join(folder, 'node_modules'));
  const printed = readFileSync(join(ROOT, 'docs/api/schema.graphql'), 'utf8');
  const introspection = minifyIntrospection(introspectionFromSchema(buildSchema(printed)));
  const types = outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true });
  writeFileSync(join(folder, 'graphql-env.d.ts'), types);
  const compilerOptions = { target: 'esnext', module: 'nodenext', strict: true, skipLibCheck: true, types: [] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, noEmit: true }, include: ['*.ts'] }),
  );
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The compiler's output for a program that uses the printed schema. */
function typeCheck(program: string): string {
  writeFileSync(join(folder, 'consumer.ts'), program);
  const { stdout, stderr, error } = spawnSync(join(ROOT, 'test/node_modules/.bin/tsc'), ['-p', folder], {
    encoding: 'utf8',
  });
  assert.ifError(error);
  return stdout + stderr;
}

test('documents against the printed schema are fully typed', () => {
  assert.equal(typeCheck(CONSUMER), '');
});

for (const [mistake, valid, invalid, error] of [
  ['a field that the document does not select', '.pageInfo.endCursor', '.pageInfo.startCursor', /startCursor/],
  ['a value that the enum does not have', "routable: 'CHAT'", "routable: 'FAX'", /"FAX"/],
  ['a filter that the schema does not have', 'connected: true', 'present: true', /present/],
  ['a result of another type', 'slots: number', 'slots: string', /'number' is not assignable to type 'string'/],
] as const) {
  test(`${mistake} fails the type check`, () => {
    assert.ok(CONSUMER.includes(valid));
    assert.match(typeCheck(CONSUMER.replace(valid, invalid)), error);
  });
}

test('a field that the schema does not have fails the type check where it is used', () => {
  const program = CONSUMER.replace('freeSlots }', 'emptySlots }').replace('chat.freeSlots', 'chat.emptySlots');
  assert.match(typeCheck(program), /consumer\.ts\(\d+,\d+\): error TS2322: Type 'unknown'/);
});
