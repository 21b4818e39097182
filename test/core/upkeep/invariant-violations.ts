import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

/** Operators, conversations in every state, messages, tags and surveys. */
export async function createBusyFixture(open: (typeof databases)[number]['open']): Promise<EngineFixture> {
  const fixture = await EngineFixture.create(open);
  const { conversations, database, clock } = fixture.installation;
  const [group, skill] = [await fixture.createGroup(), await fixture.createSkill()];
  const operator = await fixture.createOperator({ groupId: group, skillList: [skill], chatMaxNumber: 3 });
  const [closed, active, offered] = [
    await fixture.startConversation(),
    await fixture.startConversation(),
    await fixture.startConversation(),
  ];
  for (const conversation of [closed, active]) await fixture.accept({ ...conversation, operatorId: operator });
  for (const clientId of ['one', 'two']) {
    await conversations.send(fixture.transact, fixture.callerFor(operator), {
      conversationId: active.id,
      clientId,
      text: clientId,
    });
  }
  await fixture.close({ ...closed, operatorId: operator });
  await fixture.createOperator({ chatMaxNumber: 2, websiteList: [] });
  const fourth = await fixture.startConversation();
  const queued = await fixture.startConversation();
  assert.deepEqual(
    [(await fixture.loadConversation(offered.id)).state, (await fixture.loadConversation(queued.id)).state],
    ['offered', 'queued'],
  );
  assert.equal((await fixture.loadConversation(fourth.id)).state, 'offered');
  const { accountId } = fixture;
  await database.transaction(async ({ db }) => {
    await sql`insert into routing_lists (account_id, need) values (${accountId}, 'language en')`.execute(db);
    await sql`insert into tags (account_id, id, name, name_folded, website_list, created_at)
      values (${accountId}, 1, 'x', 'x', '[]', ${clock.now})`.execute(db);
    await sql`insert into conversation_tags (account_id, conversation_id, tag_id) values (${accountId}, ${closed.id}, 1)`.execute(
      db,
    );
    await sql`insert into satisfactions (account_id, id, conversation_id, website_id, note_welcome, note_resolution, note_delay, comment, created_at)
      values (${accountId}, 1, ${closed.id}, ${fixture.websiteId}, 5, 5, 5, '', ${clock.now})`.execute(db);
  });
  return fixture;
}

const LEASES = /connected until their last lease ends/;
const MEMBERSHIPS = /group, websites, skills and languages of a live row/;
const LISTS = /operators on the lists of routing/;
const HISTORY = /live history ends with the current live state/;
const STATES = /offered and active conversations have an operator/;
const MESSAGES = /message counts are right/;
const ORPHANS = /no row refers to a missing row/;
const CHUNKS = /size of every attachment is that of its chunks/;
const SPACE = /space taken by attachments/;
const SENT_FILES = /attachments that were sent belong to a message/;
const POSITIONS = /positions of the event log have no gaps/;
const SLOTS = /slots in use equal the conversations|live history/;

const insertAttachment = (values: string) =>
  `insert into attachments (account_id, id, conversation_id, author_type, name, kind, place, created_at, state, size, reserved, chunks, sequence)
    values (1, 999, 1, 'visitor', '', '', 0, 0, ${values})`;
const DELETE_ATTACHMENT = 'delete from attachments where id = 999';

/**
 * Statements that violate an invariant and undo it, and the invariants that must report it. Operator 2 has
 * conversations.
 */
export const VIOLATIONS: readonly (readonly [title: string, statement: string, undo: string, invariant: RegExp])[] = [
  [
    'a wrong stored count of operators',
    'update accounts set operator_count = operator_count + 5',
    'update accounts set operator_count = operator_count - 5',
    /stored counts of operators and admins/,
  ],
  [
    'a slot without a conversation',
    'update operator_live set chat_slots = chat_slots + 1 where operator_id = 2',
    'update operator_live set chat_slots = chat_slots - 1 where operator_id = 2',
    SLOTS,
  ],
  [
    'a live row that ends before the last lease',
    'update operator_live set lease_until = lease_until - 1, routable_until = routable_until - 1 where operator_id = 2',
    'update operator_live set lease_until = lease_until + 1, routable_until = routable_until + 1 where operator_id = 2',
    LEASES,
  ],
  [
    'a session of an operator who is not connected',
    "insert into operator_leases (account_id, operator_id, lease_id, expires_at) values (1, 1, 'lost', 5)",
    "delete from operator_leases where lease_id = 'lost'",
    LEASES,
  ],
  [
    'an operator who is routable only by a session in its grace period',
    'update operator_leases set in_grace = 1 where operator_id = 2',
    'update operator_leases set in_grace = 0 where operator_id = 2',
    LEASES,
  ],
  [
    'an operator who is routable longer than connected',
    'update operator_live set routable_until = lease_until + 1 where operator_id = 2',
    'update operator_live set routable_until = lease_until where operator_id = 2',
    LEASES,
  ],
  [
    'a read marker past the newest message',
    'insert into read_markers (account_id, conversation_id, visitor_up_to) values (1, 1, 1000)',
    'delete from read_markers where visitor_up_to = 1000',
    /read past the newest message/,
  ],
  [
    'a read marker without a conversation',
    'insert into read_markers (account_id, conversation_id) values (1, 999999)',
    'delete from read_markers where conversation_id = 999999',
    /read past the newest message/,
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
        `a ${list} that differs from the live row`,
        `update operators set ${list} = ${list} || ' ' where id = 2`,
        `update operators set ${list} = trim(${list}) where id = 2`,
        MEMBERSHIPS,
      ] as const,
  ),
  [
    'a group that differs from the live row',
    'update operator_live set group_id = null where operator_id = 2',
    'update operator_live set group_id = (select group_id from operators where id = 2) where operator_id = 2',
    MEMBERSHIPS,
  ],
  ...['chat_available', 'call_enabled'].map(
    (flag) =>
      [
        `a change of ${flag} without a history row`,
        `update operator_live set ${flag} = 1 - ${flag} where operator_id = 2`,
        `update operator_live set ${flag} = 1 - ${flag} where operator_id = 2`,
        HISTORY,
      ] as const,
  ),
  [
    'a history row that says a connected operator is offline',
    'update live_history set connected = 0 where operator_id = 2 and version = (select version from operator_live where operator_id = 2)',
    'update live_history set connected = 1 where operator_id = 2 and version = (select version from operator_live where operator_id = 2)',
    HISTORY,
  ],
  [
    'a wrong order on a list of operators',
    'update listed_operators set share = share + 1',
    'update listed_operators set share = share - 1',
    LISTS,
  ],
  [
    'an operator on the list of a need that they do not meet',
    "update listed_operators set need = need || '0'",
    "update listed_operators set need = 'language en'",
    LISTS,
  ],
  [
    'an operator who is missing on a list',
    'update listed_operators set account_id = -account_id',
    'update listed_operators set account_id = -account_id',
    LISTS,
  ],
  [
    'a conversation that is passed over although its visitor is not absent',
    "update conversations set queue_order = queue_order + 1000000000000000 where state = 'queued'",
    "update conversations set queue_order = queue_order - 1000000000000000 where state = 'queued'",
    /visitors are passed over/,
  ],
  [
    'a visitor who was not noticed to have left',
    'insert into visitor_presence (account_id, visitor_id, present_until) values (1, 1, now_ms() - 90001)',
    'delete from visitor_presence',
    /noticed to have left/,
  ],
  [
    'an active conversation of a missing operator',
    "update conversations set operator_id = 99 where state = 'active'",
    "update conversations set operator_id = 2 where state = 'active'",
    /conversations have an operator|slots in use/,
  ],
  [
    'a queued conversation with an operator',
    "update conversations set operator_id = 2 where state = 'queued'",
    "update conversations set operator_id = null where state = 'queued'",
    STATES,
  ],
  [
    'a closed conversation without a closing time',
    "update conversations set closed_at = null where state = 'closed'",
    "update conversations set closed_at = created_at where state = 'closed'",
    STATES,
  ],
  [
    'an active conversation with a closing time',
    "update conversations set closed_at = 5 where state = 'active'",
    "update conversations set closed_at = null where state = 'active'",
    STATES,
  ],
  [
    'an offer without an expiry time',
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
    'a gap between two messages',
    'update messages set sequence = sequence + 10 where sequence > 1',
    'update messages set sequence = sequence - 10 where sequence > 10',
    MESSAGES,
  ],
  [
    'messages that start at sequence number 2',
    'update messages set sequence = -sequence where sequence = 1',
    'update messages set sequence = -sequence where sequence = -1',
    MESSAGES,
  ],
  [
    'a message without a conversation',
    "insert into messages (account_id, conversation_id, sequence, author_type, text, at) values (1, 999, 1, 'notice', '', 0)",
    'delete from messages where conversation_id = 999',
    ORPHANS,
  ],
  [
    'a survey without a conversation',
    'update satisfactions set conversation_id = conversation_id + 1000',
    'update satisfactions set conversation_id = conversation_id - 1000',
    ORPHANS,
  ],
  ['a missing tag', 'update tags set id = 1000', 'update tags set id = 1', ORPHANS],
  [
    'a conversation of a missing visitor',
    "update conversations set visitor_id = visitor_id + 1000 where state = 'closed'",
    "update conversations set visitor_id = visitor_id - 1000 where state = 'closed'",
    ORPHANS,
  ],
  [
    'a delivery of a missing webhook',
    `insert into webhook_deliveries (account_id, id, webhook_id, position, type, subject_type, subject_id, body, state, attempts, created_at)
      values (1, 1, 7, 1, 'x.y', 'x', 1, '', 'pending', 0, 0)`,
    'delete from webhook_deliveries',
    ORPHANS,
  ],
  ['an attachment without its chunks', insertAttachment("'complete', 5, 0, 1, null"), DELETE_ATTACHMENT, CHUNKS],
  [
    'a chunk without an attachment',
    "insert into attachment_chunks (account_id, attachment_id, number, bytes) values (1, 999, 0, '')",
    'delete from attachment_chunks where attachment_id = 999',
    CHUNKS,
  ],
  [
    'space that no attachment takes',
    'insert into attachment_usage (account_id, bytes) values (1, 5)',
    'delete from attachment_usage',
    SPACE,
  ],
  ['space that was not counted', insertAttachment("'pending', 0, 5, 0, null"), DELETE_ATTACHMENT, SPACE],
  ['a sent attachment without a message', insertAttachment("'attached', 0, 0, 0, 77"), DELETE_ATTACHMENT, SENT_FILES],
  ['an unsent attachment with a message', insertAttachment("'complete', 0, 0, 0, 1"), DELETE_ATTACHMENT, SENT_FILES],
  [
    'a gap in the event log',
    'update events set account_id = -1 where position = 3',
    'update events set account_id = 1 where position = 3',
    POSITIONS,
  ],
  [
    "a log that ends before the account's position",
    'update accounts set event_position = event_position + 1',
    'update accounts set event_position = event_position - 1',
    POSITIONS,
  ],
];
