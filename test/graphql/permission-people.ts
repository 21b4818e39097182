import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getNamedType, isCompositeType, isObjectType } from 'graphql';
import { schema } from '../../src/api/graphql/schema.ts';
import { type GraphqlAnswer, type GraphqlClient, graphqlClient, logIn } from '../support/graphql.ts';
import { add, addOperator } from '../support/people.ts';
import { type RestClient, restClient } from '../support/rest.ts';
import { type Switchboard, startSwitchboard } from '../support/switchboard.ts';
import { TARGETS, type Target, VIEWERS, type Viewer } from './permission-table.ts';

export const PASSWORD = 'a password of this test';

export interface Person extends GraphqlClient {
  readonly id: string;
  readonly email: string;
  readonly externalId: string;
}

type Place = 'own' | 'under' | 'other';

/** A server with somebody for every column and every row of the table. */
export interface World {
  readonly switchboard: Switchboard;
  readonly rest: RestClient;
  readonly groups: Readonly<Record<Place, string>>;
  readonly skill: string;
  readonly website: string;
  readonly viewers: Readonly<Record<Viewer, Person>>;
  /** Whom a viewer means by a target. */
  target(viewer: Viewer, target: Target): string;
  /** Somebody new like a viewer, logged in. */
  newViewer(viewer: Viewer): Promise<Person>;
  /** Somebody new like a target other than oneself. */
  newTarget(target: Target | Viewer, fields?: object): Promise<Omit<Person, keyof GraphqlClient>>;
  /** How far the log of changes has come. */
  eventNumber(): number;
  stop(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const switchboard = await startSwitchboard();
  const rest = restClient(switchboard.url, switchboard.key);
  const own = await add(rest, 'group', { name: 'Own' });
  const under = await add(rest, 'group', { name: 'Under', parent_id: own });
  const other = await add(rest, 'group', { name: 'Other' });
  const website = await add(rest, 'website', { url: 'https://example.com', label: 'Site' });
  const skill = await add(rest, 'skill', { name: 'Skill' });

  const place: Record<Target | Viewer, object> = {
    self: {},
    own: { group_id: own },
    under: { group_id: under },
    other: { group_id: other },
    groupless: { group_id: null },
    manager: { group_id: own, roles: ['manager'] },
    admin: { group_id: own, roles: ['admin'] },
    expert: { group_id: own, roles: ['expert'] },
    operator: { group_id: own, roles: ['operator'] },
    managerOfAll: { roles: ['manager'] },
  };
  const database = new DatabaseSync(join(switchboard.folder, 'switchboard.db'), { readOnly: true });
  const countEvents = database.prepare('select count(*) as number from events');
  let people = 0;
  const newTarget: World['newTarget'] = async (target, fields = {}) => {
    people += 1;
    const made = await addOperator(rest, { external_id: `person ${people}`, ...place[target], ...fields });
    return { id: String(made.id), email: made.email, externalId: made.external_id };
  };
  const newViewer: World['newViewer'] = async (viewer) => {
    const made = await newTarget(viewer, { password: PASSWORD });
    const token = await logIn(switchboard.url, { email: made.email, password: PASSWORD });
    return { ...graphqlClient(switchboard.url, token), ...made };
  };
  const viewers: Partial<Record<Viewer, Person>> = {};
  for (const viewer of VIEWERS) viewers[viewer] = await newViewer(viewer);
  const targets: Partial<Record<Target, string>> = {};
  for (const target of TARGETS) {
    if (target !== 'self') targets[target] = (await newTarget(target, { skill_list: [skill] })).id;
  }
  return {
    switchboard,
    rest,
    groups: { own: String(own), under: String(under), other: String(other) },
    skill: String(skill),
    website: String(website),
    viewers: viewers as Record<Viewer, Person>,
    target: (viewer, target) => (target === 'self' ? viewers[viewer]?.id : targets[target]) as string,
    newViewer,
    newTarget,
    eventNumber: () => Number(countEvents.get()?.number),
    stop: async () => {
      database.close();
      await switchboard.stop();
    },
  };
}

/** Every field of a type; of those that are objects, that they are there. */
export function everyField(typeName: string, args: (field: string) => string = () => ''): string {
  const type = schema.getType(typeName);
  assert.ok(isObjectType(type), `${typeName} is no object type`);
  return Object.values(type.getFields())
    .map((field) => {
      const inner = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
      return `${field.name}${args(field.name)}${inner}`;
    })
    .join(' ');
}

/** What became of a field: refused at its path or above it, or answered. Anything else is told as it came. */
export function outcomeAt(answer: GraphqlAnswer, path: readonly string[]): string {
  const above = ({ path: at = [] }: GraphqlAnswer['errors'][number]) => {
    const names = at.filter((part) => typeof part === 'string');
    return names.every((part, index) => part === path[index]);
  };
  const error = answer.errors.find(above);
  let value = answer.data;
  for (const name of path) value = (Array.isArray(value) ? value[0] : value)?.[name];
  if (!error) return value === undefined ? `no answer: ${JSON.stringify(answer)}` : 'allowed';
  if (error.extensions.code === 'FORBIDDEN' && (value ?? null) === null) return 'forbidden';
  return JSON.stringify({ error, value });
}

/** What became of a mutation: refused as a whole with nothing answered, or done. */
export function outcomeOf({ data, errors }: GraphqlAnswer): string {
  if (errors.some((error) => error.extensions.code === 'FORBIDDEN') && (data ?? null) === null) return 'forbidden';
  const payload = Object.values((data ?? {}) as Record<string, { userErrors?: unknown[] }>)[0];
  const done = errors.length === 0 && payload?.userErrors?.length === 0;
  return done ? 'allowed' : JSON.stringify({ data, errors });
}
