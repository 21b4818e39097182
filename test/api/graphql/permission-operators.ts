import assert from 'node:assert/strict';
import { getNamedType, isCompositeType, isObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import {
  type GraphqlCaller,
  type GraphqlClient,
  type GraphqlResponse,
  graphqlClient,
  keyClient,
  logIn,
} from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, createReadKey, createResource } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { type Conversations, openConversations } from './permission-conversations.ts';
import {
  isOperatorViewer,
  type KeyViewer,
  OPERATOR_VIEWERS,
  type OperatorViewer,
  TARGETS,
  type Target,
  type Viewer,
} from './permission-table.ts';

export const PASSWORD = 'a password of this test';

export interface TestOperator extends GraphqlClient {
  readonly id: string;
  readonly email: string;
  readonly externalId: string;
}

type GroupName = 'ownGroup' | 'subgroup' | 'otherGroup';

/** A server with an operator for every viewer and every target of the table. */
export interface PermissionFixture {
  readonly switchboard: Switchboard;
  readonly rest: RestClient;
  readonly groups: Readonly<Record<GroupName, string>>;
  readonly skill: string;
  readonly website: string;
  readonly tag: string;
  /** A visitor who talked to an operator of the group `ownGroup`, and the survey about it. */
  readonly visitor: string;
  readonly satisfaction: string;
  readonly messageLeft: string;
  /** A paused webhook with a delivery. */
  readonly webhook: string;
  readonly viewers: Readonly<Record<OperatorViewer, TestOperator> & Record<KeyViewer, GraphqlCaller>>;
  /** The id of the operator that is the target. An API key has no target `self`. */
  target(viewer: Viewer, target: Target): string;
  readonly conversations: Conversations;
  /** A conversation of a target, for reading only. */
  conversationOf(viewer: Viewer, target: Target): Promise<string>;
  /** Creates another operator like a viewer, logged in. */
  createViewer(viewer: OperatorViewer): Promise<TestOperator>;
  /** Creates another operator like a target other than `self`. */
  createTarget(target: Target | OperatorViewer, fields?: object): Promise<Omit<TestOperator, keyof GraphqlClient>>;
  /** The position of the last event. */
  readPosition(): Promise<number>;
  /** The number of events after a position, without those of the service. */
  countEventsAfter(position: number): Promise<number>;
  stop(): Promise<void>;
}

export async function openPermissionFixture(): Promise<PermissionFixture> {
  const switchboard = await startSwitchboard();
  const rest = restClient(switchboard.url, switchboard.key);
  const ownGroup = await createResource(rest, 'group', { name: 'Own' });
  const subgroup = await createResource(rest, 'group', { name: 'Subgroup', parent_id: ownGroup });
  const otherGroup = await createResource(rest, 'group', { name: 'Other' });
  const website = await createResource(rest, 'website', { url: 'https://example.com', label: 'Site' });
  const skill = await createResource(rest, 'skill', { name: 'Skill' });
  const tag = await createResource(rest, 'tag', { name: 'Tag' });

  const fieldsByKind: Record<Target | OperatorViewer, object> = {
    self: {},
    ownGroup: { group_id: ownGroup },
    subgroup: { group_id: subgroup },
    otherGroup: { group_id: otherGroup },
    noGroup: { group_id: null },
    manager: { group_id: ownGroup, roles: ['manager'] },
    admin: { group_id: ownGroup, roles: ['admin'] },
    expert: { group_id: ownGroup, roles: ['expert'] },
    operator: { group_id: ownGroup, roles: ['operator'] },
    managerOfAll: { roles: ['manager'] },
  };
  let operatorCount = 0;
  const createTarget: PermissionFixture['createTarget'] = async (target, fields = {}) => {
    operatorCount += 1;
    const created = await createOperator(rest, {
      external_id: `operator ${operatorCount}`,
      ...fieldsByKind[target],
      ...fields,
    });
    return { id: String(created.id), email: created.email, externalId: created.external_id };
  };
  const createViewer: PermissionFixture['createViewer'] = async (viewer) => {
    const created = await createTarget(viewer, { password: PASSWORD });
    const token = await logIn(switchboard.url, { email: created.email, password: PASSWORD });
    return { ...graphqlClient(switchboard.url, token), ...created };
  };
  const operators: Partial<Record<OperatorViewer, TestOperator>> = {};
  for (const viewer of OPERATOR_VIEWERS) operators[viewer] = await createViewer(viewer);
  const readKey = keyClient(switchboard.url, await createReadKey(switchboard));
  const writeKey = keyClient(switchboard.url, switchboard.key);
  await setOpeningHours(writeKey, website);
  const targets: Partial<Record<Target, string>> = {};
  for (const target of TARGETS) {
    if (target !== 'self') targets[target] = (await createTarget(target, { skill_list: [skill] })).id;
  }
  await insertHistory(switchboard, {
    accountId: 1,
    id: HISTORY_ID,
    operatorId: Number(targets.ownGroup),
    websiteId: website,
    marker: 'own',
  });
  await insertWebhook(switchboard, { accountId: 1, id: HISTORY_ID, marker: 'own' });
  const conversations = openConversations(switchboard.storedData, website, () => targets.ownGroup as string);
  const conversationIds = new Map<string, Promise<string>>();
  const target: PermissionFixture['target'] = (viewer, name) => {
    const id = name !== 'self' ? targets[name] : isOperatorViewer(viewer) ? operators[viewer]?.id : undefined;
    assert.ok(id, `${viewer} has no target ${name}`);
    return id;
  };
  return {
    switchboard,
    rest,
    groups: { ownGroup: String(ownGroup), subgroup: String(subgroup), otherGroup: String(otherGroup) },
    skill: String(skill),
    website: String(website),
    tag: String(tag),
    visitor: String(HISTORY_ID),
    satisfaction: String(HISTORY_ID),
    messageLeft: String(HISTORY_ID),
    webhook: String(HISTORY_ID),
    viewers: { ...(operators as Record<OperatorViewer, TestOperator>), readKey, writeKey },
    target,
    conversations,
    conversationOf: (viewer, name) => {
      const id = conversationIds.get(target(viewer, name)) ?? conversations.add(target(viewer, name));
      conversationIds.set(target(viewer, name), id);
      return id;
    },
    createViewer,
    createTarget,
    readPosition: async () => {
      const [row] = await switchboard.storedData.query('select max(position) as last from events where account_id = 1');
      return Number(row?.last);
    },
    countEventsAfter: async (position) => {
      const [row] = await switchboard.storedData.query(
        "select count(*) as n from events where account_id = 1 and position > ? and actor_type <> 'system'",
        position,
      );
      return Number(row?.n);
    },
    stop: () => switchboard.stop(),
  };
}

/** Always open, with one of each object of the schema. */
async function setOpeningHours({ run }: Pick<GraphqlClient, 'run'>, website: number): Promise<void> {
  const days = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
  const openingHours = {
    weekly: days.map((day) => ({ day, from: '00:00', to: '24:00' })),
    dates: [{ date: '2100-01-01', ranges: [{ from: '09:00', to: '17:00' }] }],
  };
  const { data } = await run('mutation($input:WebsiteUpdateInput!){websiteUpdate(input:$input){userErrors{message}}}', {
    input: { id: website, openingHours },
  });
  assert.deepEqual(data.websiteUpdate.userErrors, []);
}

/** Far from the ids that the service assigns. */
const HISTORY_ID = 700_001;

/** Inserts rows directly: a visitor, a closed conversation, and the survey about it. */
export async function insertHistory(
  { storedData }: Switchboard,
  history: { accountId: number; id: number; operatorId: number; websiteId: number; marker: string },
): Promise<void> {
  const { accountId, id, operatorId, websiteId, marker } = history;
  const insert = (table: string, row: Record<string, string | number>) => {
    const placeholders = Object.keys(row).map(() => '?');
    return storedData.query(
      `insert into ${table} (${Object.keys(row)}) values (${placeholders})`,
      ...Object.values(row),
    );
  };
  const names = {
    lastname: marker,
    firstname: marker,
    address: marker,
    city: marker,
    zip: marker,
    country: marker,
    phone: marker,
  };
  const ids = { unique_id: `${marker}-${id}`, external_id: `${marker}-${id}`, external_id_folded: `${marker}-${id}` };
  const rest = { email: marker, browser: marker, website_list: `[${websiteId}]`, created_at: 0 };
  await insert('visitors', { account_id: accountId, id, ...ids, ...names, ...rest });
  await insert('visitor_context', {
    ...{ account_id: accountId, visitor_id: id, page: `https://${marker}.example/`, title: marker, referrer: '' },
    ...{ timezone: '', language: '', fields: JSON.stringify([{ name: marker, value: marker }]), verified_fields: '[]' },
    ...{ verified_details: '[]', updated_at: 1 },
  });
  await insert('visitor_websites', { account_id: accountId, website_id: websiteId, visitor_id: id });
  await insert('conversations', {
    ...{ account_id: accountId, id, visitor_id: id, channel: 'chat', website_id: websiteId, operator_id: operatorId },
    ...{ language: 'en', state: 'closed', created_at: 1, accepted_at: 2, first_answer_at: 3, closed_at: 4 },
  });
  await insert('notes', {
    ...{ account_id: accountId, conversation_id: id, id, after_sequence: 0, author_type: 'operator' },
    ...{ author_id: operatorId, client_id: marker, text: marker, at: 5 },
  });
  await insert('messages_left', {
    ...{ account_id: accountId, id, website_id: websiteId, visitor_id: id, name: marker, email: marker, text: marker },
    ...{ page: marker, created_at: 1, operator_id: operatorId, done_at: Date.now(), done_by: operatorId },
  });
  await insert('satisfactions', {
    ...{ account_id: accountId, id, conversation_id: id, website_id: websiteId, operator_id: operatorId },
    ...{ note_welcome: 5, note_resolution: 5, note_delay: 5, comment: marker, created_at: 5 },
  });
}

/** Inserts a webhook, paused so that nothing is sent, and a delivery that has just ended: old ones are deleted. */
export async function insertWebhook(
  { storedData }: Switchboard,
  { accountId, id, marker }: { accountId: number; id: number; marker: string },
): Promise<void> {
  await storedData.query(`insert into webhooks (account_id, id, name, url, event_types, secret, state, position, failed_in_row,
      dead_in_row, created_at) values (${accountId}, ${id}, '${marker}', 'https://receiver.invalid/${marker}', '[]', '', 'paused', 0, 0, 0, 1)`);
  await storedData.query(`insert into webhook_deliveries (account_id, id, webhook_id, position, type, subject_type, subject_id, body, state,
      attempts, created_at, ended_at) values (${accountId}, ${id}, ${id}, 1, 'skill.created', 'skill', 1, '{}', 'dead', 1, 1, ${Date.now()})`);
}

/** Selects every field of a type, and `__typename` in those that are objects. */
export function selectAllFields(
  typeName: string,
  args: (field: string) => string = () => '',
  isSelected: (field: string) => boolean = () => true,
): string {
  const type = schema.getType(typeName);
  assert.ok(isObjectType(type), `${typeName} is not an object type`);
  return Object.values(type.getFields())
    .filter((field) => isSelected(field.name))
    .map((field) => {
      const inner = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
      return `${field.name}${args(field.name)}${inner}`;
    })
    .join(' ');
}

/** `forbidden` when an error at the path or above it hides the field, or `allowed`; anything else as JSON. */
export function outcomeAt(response: GraphqlResponse, path: readonly string[]): string {
  const isAtOrAbove = ({ path: errorPath = [] }: GraphqlResponse['errors'][number]) => {
    const names = errorPath.filter((part) => typeof part === 'string');
    return names.every((part, index) => part === path[index]);
  };
  const error = response.errors.find(isAtOrAbove);
  let value = response.data;
  for (const name of path) value = (Array.isArray(value) ? value[0] : value)?.[name];
  if (!error) return value === undefined ? `no value: ${JSON.stringify(response)}` : 'allowed';
  if (error.extensions.code === 'FORBIDDEN' && (value ?? null) === null) return 'forbidden';
  return JSON.stringify({ error, value });
}

/** `forbidden` when the whole mutation is, or `allowed`; anything else as JSON. */
export function outcomeOf({ data, errors }: GraphqlResponse): string {
  if (errors.some((error) => error.extensions.code === 'FORBIDDEN') && (data ?? null) === null) return 'forbidden';
  const payload = Object.values((data ?? {}) as Record<string, { userErrors?: unknown[] }>)[0];
  const isDone = errors.length === 0 && payload?.userErrors?.length === 0;
  return isDone ? 'allowed' : JSON.stringify({ data, errors });
}
