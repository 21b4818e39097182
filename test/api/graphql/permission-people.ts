import assert from 'node:assert/strict';
import { getNamedType, isCompositeType, isObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { type GraphqlAnswer, type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { add, addOperator } from '../../support/people/people.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { type Conversations, openConversations } from './permission-conversations.ts';
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
  readonly tag: string;
  /** Somebody who talked to an operator of the group `own`, and what they thought of it. */
  readonly visitor: string;
  readonly satisfaction: string;
  /** A paused one, to which something was sent. */
  readonly webhook: string;
  readonly viewers: Readonly<Record<Viewer, Person>>;
  /** Whom a viewer means by a target. */
  target(viewer: Viewer, target: Target): string;
  readonly conversations: Conversations;
  /** A conversation that a target has; it is only looked at. */
  conversationOf(viewer: Viewer, target: Target): Promise<string>;
  /** Somebody new like a viewer, logged in. */
  newViewer(viewer: Viewer): Promise<Person>;
  /** Somebody new like a target other than oneself. */
  newTarget(target: Target | Viewer, fields?: object): Promise<Omit<Person, keyof GraphqlClient>>;
  /** How many changes people have made; those that come with time do not count. */
  eventNumber(): Promise<number>;
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
  const tag = await add(rest, 'tag', { name: 'Tag' });

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
  await leavePast(switchboard, {
    accountId: 1,
    id: PAST,
    operatorId: Number(targets.own),
    websiteId: website,
    mark: 'own',
  });
  await leaveWebhook(switchboard, { accountId: 1, id: PAST, mark: 'own' });
  const conversations = openConversations(switchboard.stored, website, () => targets.own as string);
  const held = new Map<string, Promise<string>>();
  const target: World['target'] = (viewer, who) => (who === 'self' ? viewers[viewer]?.id : targets[who]) as string;
  return {
    switchboard,
    rest,
    groups: { own: String(own), under: String(under), other: String(other) },
    skill: String(skill),
    website: String(website),
    tag: String(tag),
    visitor: String(PAST),
    satisfaction: String(PAST),
    webhook: String(PAST),
    viewers: viewers as Record<Viewer, Person>,
    target,
    conversations,
    conversationOf: (viewer, who) => {
      const id = held.get(target(viewer, who)) ?? conversations.add(target(viewer, who));
      held.set(target(viewer, who), id);
      return id;
    },
    newViewer,
    newTarget,
    eventNumber: async () => {
      const [made] = await switchboard.stored.rows("select count(*) as n from events where actor_type <> 'system'");
      return Number(made?.n);
    },
    stop: () => switchboard.stop(),
  };
}

/** Far from the numbers that the service gives out. */
const PAST = 700_001;

/** Puts rows beside the service's back: a visitor, a conversation that is over, and the survey about it. */
export async function leavePast(
  { stored }: Switchboard,
  past: { accountId: number; id: number; operatorId: number; websiteId: number; mark: string },
): Promise<void> {
  const { accountId, id, operatorId, websiteId, mark } = past;
  const insert = (table: string, row: Record<string, string | number>) => {
    const places = Object.keys(row).map(() => '?');
    return stored.rows(`insert into ${table} (${Object.keys(row)}) values (${places})`, ...Object.values(row));
  };
  const names = { lastname: mark, firstname: mark, address: mark, city: mark, zip: mark, country: mark, phone: mark };
  const outside = { unique_id: `${mark}-${id}`, external_id: `${mark}-${id}`, external_id_folded: `${mark}-${id}` };
  const seen = { email: mark, browser: mark, website_list: `[${websiteId}]`, created_at: 0 };
  await insert('visitors', { account_id: accountId, id, ...outside, ...names, ...seen });
  await insert('visitor_websites', { account_id: accountId, website_id: websiteId, visitor_id: id });
  await insert('conversations', {
    ...{ account_id: accountId, id, visitor_id: id, channel: 'chat', website_id: websiteId, operator_id: operatorId },
    ...{ language: 'en', state: 'closed', created_at: 1, accepted_at: 2, first_answer_at: 3, closed_at: 4 },
  });
  await insert('satisfactions', {
    ...{ account_id: accountId, id, conversation_id: id, website_id: websiteId, operator_id: operatorId },
    ...{ note_welcome: 5, note_resolution: 5, note_delay: 5, comment: mark, created_at: 5 },
  });
}

/** The same for a webhook, which is paused so that nothing is sent, and an event that it got. */
export async function leaveWebhook(
  { stored }: Switchboard,
  { accountId, id, mark }: { accountId: number; id: number; mark: string },
): Promise<void> {
  await stored.rows(`insert into webhooks (account_id, id, name, url, event_types, secret, state, position, failed_in_row,
      dead_in_row, created_at) values (${accountId}, ${id}, '${mark}', 'https://receiver.invalid/${mark}', '[]', '', 'paused', 0, 0, 0, 1)`);
  await stored.rows(`insert into webhook_deliveries (account_id, id, webhook_id, position, type, subject_type, subject_id, body, state,
      attempts, created_at, ended_at) values (${accountId}, ${id}, ${id}, 1, 'skill.created', 'skill', 1, '{}', 'dead', 1, 1, 1)`);
}

/** Every field of a type; of those that are objects, that they are there. */
export function everyField(
  typeName: string,
  args: (field: string) => string = () => '',
  isMeant: (field: string) => boolean = () => true,
): string {
  const type = schema.getType(typeName);
  assert.ok(isObjectType(type), `${typeName} is no object type`);
  return Object.values(type.getFields())
    .filter((field) => isMeant(field.name))
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
