import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { databases } from '../../support/databases/databases.ts';
import { World } from '../../support/people/world.ts';

/** Operators, conversations in every state, messages, tags, surveys and a hook. */
export async function busyWorld(open: (typeof databases)[number]['open']): Promise<World> {
  const world = await World.on(open);
  const { conversations, database, clock } = world.installation;
  const [group, skill] = [await world.group(), await world.skill()];
  const operator = await world.operator({ groupId: group, skillList: [skill], chatMaxNumber: 3 });
  const [closed, active, offered] = [await world.start(), await world.start(), await world.start()];
  for (const conversation of [closed, active]) await world.accept({ ...conversation, operatorId: operator });
  for (const clientId of ['one', 'two']) {
    await conversations.send(world.transact, world.as(operator), {
      conversationId: active.id,
      clientId,
      text: clientId,
    });
  }
  await world.close({ ...closed, operatorId: operator });
  const fourth = await world.start();
  const queued = await world.start();
  assert.deepEqual(
    [(await world.conversation(offered.id)).state, (await world.conversation(queued.id)).state],
    ['offered', 'queued'],
  );
  assert.equal((await world.conversation(fourth.id)).state, 'offered');
  const { accountId } = world;
  await database.transaction(async ({ db }) => {
    await sql`insert into tags (account_id, id, name, name_folded, website_list, created_at)
      values (${accountId}, 1, 'x', 'x', '[]', ${clock.now})`.execute(db);
    await sql`insert into conversation_tags (account_id, conversation_id, tag_id) values (${accountId}, ${closed.id}, 1)`.execute(
      db,
    );
    await sql`insert into satisfactions (account_id, id, conversation_id, website_id, note_welcome, note_resolution, note_delay, comment, created_at)
      values (${accountId}, 1, ${closed.id}, ${world.websiteId}, 5, 5, 5, '', ${clock.now})`.execute(db);
  });
  return world;
}

const LEASES = /lease ends with the last of their sessions/;
const PLACES = /routing sees operators where their own rows put them/;
const HISTORY = /history of live states ends with the present one/;
const STATES = /conversations are with somebody exactly while/;
const MESSAGES = /messages of a conversation are counted without holes/;
const ORPHANS = /nothing belongs to what is not there/;
const POSITIONS = /positions of the event log have no holes/;
const SLOTS = /slots in use equal the conversations|history of live states/;

/** What is done to the database, how it is undone, and which search must find it. Operator 2 is the one who works. */
export const BREAKS: readonly (readonly [what: string, statement: string, mend: string, invariant: RegExp])[] = [
  [
    'a kept count of operators',
    'update accounts set operator_count = operator_count + 5',
    'update accounts set operator_count = operator_count - 5',
    /kept counts of operators and admins/,
  ],
  [
    'a slot that nobody uses',
    'update operator_live set chat_slots = chat_slots + 1 where operator_id = 2',
    'update operator_live set chat_slots = chat_slots - 1 where operator_id = 2',
    SLOTS,
  ],
  [
    'a lease that ends before the last session',
    'update operator_live set lease_until = lease_until - 1, routable_until = routable_until - 1 where operator_id = 2',
    'update operator_live set lease_until = lease_until + 1, routable_until = routable_until + 1 where operator_id = 2',
    LEASES,
  ],
  [
    'a session of somebody who is not connected',
    "insert into operator_leases (account_id, operator_id, lease_id, expires_at) values (1, 1, 'lost', 5)",
    "delete from operator_leases where lease_id = 'lost'",
    LEASES,
  ],
  [
    'somebody routable only by a session in its grace',
    'update operator_leases set in_grace = 1 where operator_id = 2',
    'update operator_leases set in_grace = 0 where operator_id = 2',
    LEASES,
  ],
  [
    'somebody routable for longer than connected',
    'update operator_live set routable_until = lease_until + 1 where operator_id = 2',
    'update operator_live set routable_until = lease_until where operator_id = 2',
    LEASES,
  ],
  [
    'a lease that ended a minute ago',
    'update operator_live set lease_until = now_ms() - 60001, routable_until = now_ms() - 60001 where operator_id = 2',
    `update operator_live set lease_until = (select expires_at from operator_leases where operator_id = 2),
      routable_until = (select expires_at from operator_leases where operator_id = 2) where operator_id = 2`,
    /lease/,
  ],
  ...['website_list', 'skill_list', 'language_list'].map(
    (list) =>
      [
        `a ${list} that routing does not know`,
        `update operators set ${list} = ${list} || ' ' where id = 2`,
        `update operators set ${list} = trim(${list}) where id = 2`,
        PLACES,
      ] as const,
  ),
  [
    'a group that routing does not know',
    'update operator_live set group_id = null where operator_id = 2',
    'update operator_live set group_id = (select group_id from operators where id = 2) where operator_id = 2',
    PLACES,
  ],
  ...['chat_available', 'call_enabled'].map(
    (flag) =>
      [
        `${flag} without a history`,
        `update operator_live set ${flag} = 1 - ${flag} where operator_id = 2`,
        `update operator_live set ${flag} = 1 - ${flag} where operator_id = 2`,
        HISTORY,
      ] as const,
  ),
  [
    'a history that says that somebody left',
    'update live_history set connected = 0 where operator_id = 2 and version = (select version from operator_live where operator_id = 2)',
    'update live_history set connected = 1 where operator_id = 2 and version = (select version from operator_live where operator_id = 2)',
    HISTORY,
  ],
  [
    'an active conversation with nobody',
    "update conversations set operator_id = 99 where state = 'active'",
    "update conversations set operator_id = 2 where state = 'active'",
    /conversations are with somebody|slots in use/,
  ],
  [
    'a conversation that waits with somebody',
    "update conversations set operator_id = 2 where state = 'queued'",
    "update conversations set operator_id = null where state = 'queued'",
    STATES,
  ],
  [
    'a closed conversation without its moment',
    "update conversations set closed_at = null where state = 'closed'",
    "update conversations set closed_at = created_at where state = 'closed'",
    STATES,
  ],
  [
    'a running conversation that was closed',
    "update conversations set closed_at = 5 where state = 'active'",
    "update conversations set closed_at = null where state = 'active'",
    STATES,
  ],
  [
    'an offer without an end',
    "update conversations set offer_until = null where state = 'offered'",
    "update conversations set offer_until = offered_at + 30000 where state = 'offered'",
    STATES,
  ],
  [
    'a message that was not counted',
    "update conversations set message_count = message_count - 1 where state = 'active'",
    "update conversations set message_count = message_count + 1 where state = 'active'",
    MESSAGES,
  ],
  [
    'a hole between two messages',
    'update messages set sequence = sequence + 10 where sequence > 1',
    'update messages set sequence = sequence - 10 where sequence > 10',
    MESSAGES,
  ],
  [
    'messages that begin with the second',
    'update messages set sequence = -sequence where sequence = 1',
    'update messages set sequence = -sequence where sequence = -1',
    MESSAGES,
  ],
  [
    'a message of no conversation',
    "insert into messages (account_id, conversation_id, sequence, author_type, text, at) values (1, 999, 1, 'notice', '', 0)",
    'delete from messages where conversation_id = 999',
    ORPHANS,
  ],
  [
    'a survey of no conversation',
    'update satisfactions set conversation_id = conversation_id + 1000',
    'update satisfactions set conversation_id = conversation_id - 1000',
    ORPHANS,
  ],
  ['a tag that is gone', 'update tags set id = 1000', 'update tags set id = 1', ORPHANS],
  [
    'a conversation of a visitor who is gone',
    "update conversations set visitor_id = visitor_id + 1000 where state = 'closed'",
    "update conversations set visitor_id = visitor_id - 1000 where state = 'closed'",
    ORPHANS,
  ],
  [
    'a delivery of a hook that is gone',
    `insert into webhook_deliveries (account_id, id, webhook_id, position, type, subject_type, subject_id, body, state, attempts, created_at)
      values (1, 1, 7, 1, 'x.y', 'x', 1, '', 'pending', 0, 0)`,
    'delete from webhook_deliveries',
    ORPHANS,
  ],
  [
    'a hole in the event log',
    'update events set account_id = -1 where position = 3',
    'update events set account_id = 1 where position = 3',
    POSITIONS,
  ],
  [
    'a log that does not reach its end',
    'update accounts set event_position = event_position + 1',
    'update accounts set event_position = event_position - 1',
    POSITIONS,
  ],
];
