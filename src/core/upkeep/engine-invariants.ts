import { FIRST_ABSENT_ORDER } from '../engine/records/queue-order.ts';
import { CHANNELS, type Channel } from '../kernel/channels.ts';

export interface Invariant {
  readonly name: string;
  /** Selects one row with a text `problem` per violation. */
  readonly violationQuery: string;
  /** Holds only while a running service ends expired leases. */
  readonly onlyWhileRunning?: true;
}

const OPERATOR = `'operator ' || l.operator_id || ' of account ' || l.account_id`;
const CONVERSATION = `'conversation ' || c.id || ' of account ' || c.account_id`;

const MIRRORED_LISTS = ['website_list', 'skill_list', 'language_list'];
const HISTORY_COLUMNS = ['enabled', 'available', 'slots'].flatMap((property) =>
  ['chat', 'call', 'video'].map((channel) => `${channel}_${property}`),
);

const ROUTABLE_CONDITIONS: Record<Channel, string> = {
  chat: `l.routable_until > 0 and l.chat_enabled = 1 and l.chat_available = 1 and l.chat_slots < l.chat_max_number
    and l.video_slots = 0 and (l.call_slots = 0 or l.chat_and_call = 1)`,
  call: `l.routable_until > 0 and l.call_enabled = 1 and l.call_available = 1 and l.call_slots < 1
    and l.video_slots = 0 and (l.chat_slots = 0 or l.chat_and_call = 1)`,
  video: `l.routable_until > 0 and l.video_enabled = 1 and l.video_available = 1 and l.video_slots < 1
    and l.call_slots = 0`,
};
const MEETS_NEED = `(r.need = 'group ' || l.group_id
  or (r.need like 'language %' and l.language_list like '%"' || substr(r.need, 10) || '"%')
  or exists (select 1 from operator_skills s
    where s.account_id = l.account_id and s.operator_id = l.operator_id and r.need = 'skill ' || s.skill_id)
  or exists (select 1 from operator_websites w
    where w.account_id = l.account_id and w.operator_id = l.operator_id and r.need = 'website ' || w.website_id))`;
const SAME_LISTED = ['account_id', 'operator_id', 'channel', 'need', 'priority', 'share', 'assigned_at']
  .map((column) => `e.${column} = o.${column}`)
  .join(' and ');

/** Invariants of presence, conversations and messages. */
export const ENGINE_INVARIANTS: readonly Invariant[] = [
  {
    name: 'open messages left have their website and an existing operator, and erased visitors have none',
    violationQuery: `select 'message left ' || m.id || ' of account ' || m.account_id as problem from messages_left m
      where (m.done_at is null and not exists
        (select 1 from websites w where w.account_id = m.account_id and w.id = m.website_id))
      or (m.done_at is null and m.operator_id is not null and not exists
        (select 1 from operators o where o.account_id = m.account_id and o.id = m.operator_id))
      or (m.done_at is null and m.done_by is not null)
      or exists (select 1 from visitors v
        where v.account_id = m.account_id and v.id = m.visitor_id and v.erased_at is not null)`,
  },
  {
    name: 'an operator is connected until their last lease ends, and routable until the last lease outside its grace period ends',
    violationQuery: `select ${OPERATOR} || ' until ' || l.lease_until || ', routable until ' || l.routable_until as problem from operator_live l
      where l.routable_until > l.lease_until
      or l.lease_until <> coalesce((select max(s.expires_at) from operator_leases s
        where s.account_id = l.account_id and s.operator_id = l.operator_id), 0)
      or l.routable_until <> coalesce((select max(s.expires_at) from operator_leases s
        where s.account_id = l.account_id and s.operator_id = l.operator_id and s.in_grace = 0), 0)`,
  },
  {
    name: 'no operator is still connected after their lease has ended',
    onlyWhileRunning: true,
    violationQuery: `select ${OPERATOR} || ' since ' || l.lease_until as problem from operator_live l
      where l.lease_until > 0 and l.lease_until < now_ms() - 60000`,
  },
  {
    name: "group, websites, skills and languages of a live row equal its operator's",
    violationQuery: `select ${OPERATOR} as problem from operator_live l
      join operators o on o.account_id = l.account_id and o.id = l.operator_id
      where coalesce(l.group_id, 0) <> coalesce(o.group_id, 0) or ${MIRRORED_LISTS.map((list) => `l.${list} <> o.${list}`).join(' or ')}`,
  },
  {
    name: 'the operators on the lists of routing are the routable ones who meet the need, in their order',
    violationQuery: `with expected as (${CHANNELS.map(
      (
        channel,
      ) => `select l.account_id, l.operator_id, '${channel}' as channel, r.need, l.${channel}_priority as priority,
          ${channel === 'chat' ? 'l.chat_slots * 1000000 / l.chat_max_number' : '0'} as share, l.assigned_at
        from routing_lists r join operator_live l on l.account_id = r.account_id
        where ${ROUTABLE_CONDITIONS[channel]} and ${MEETS_NEED}`,
    ).join(' union all ')})
      select 'list ' || o.need || ' has operator ' || o.operator_id || ' of account ' || o.account_id as problem
        from listed_operators o where not exists (select 1 from expected e where ${SAME_LISTED})
      union all select 'list ' || e.need || ' lacks operator ' || e.operator_id || ' of account ' || e.account_id
        from expected e where not exists (select 1 from listed_operators o where ${SAME_LISTED})`,
  },
  {
    name: 'the live history ends with the current live state',
    // A lease can have ended without being noticed yet, before or after the last change.
    violationQuery: `select ${OPERATOR} || ' after version ' || h.version as problem from operator_live l
      join live_history h on h.account_id = l.account_id and h.operator_id = l.operator_id
        and h.version = (select max(n.version) from live_history n where n.account_id = l.account_id and n.operator_id = l.operator_id)
      where h.connected = 1 and l.lease_until = 0 or h.connected = 0 and l.lease_until > now_ms()
      or ${HISTORY_COLUMNS.map((column) => `h.${column} <> l.${column}`).join(' or ')}`,
  },
  {
    name: 'offered and active conversations have an operator, queued ones have none, and only closed ones have a closing time',
    violationQuery: `select ${CONVERSATION} || ' is ' || c.state as problem from conversations c
      where (c.state in ('offered', 'active') and not exists
        (select 1 from operators o where o.account_id = c.account_id and o.id = c.operator_id))
      or (c.state = 'queued' and c.operator_id is not null)
      or (c.state = 'closed' and c.closed_at is null) or (c.state <> 'closed' and c.closed_at is not null)
      or (c.state = 'offered' and c.offer_until is null)`,
  },
  {
    name: 'only waiting conversations of absent visitors are passed over',
    violationQuery: `select ${CONVERSATION} as problem from conversations c
      where c.state = 'queued' and c.queue_order >= ${FIRST_ABSENT_ORDER} and not exists
        (select 1 from visitor_presence p where p.account_id = c.account_id and p.visitor_id = c.visitor_id and p.left_at is not null)`,
  },
  {
    name: 'every visitor is noticed to have left when their presence has ended',
    onlyWhileRunning: true,
    violationQuery: `select 'visitor ' || p.visitor_id || ' of account ' || p.account_id || ' since ' || p.present_until as problem
      from visitor_presence p where p.left_at is null and p.present_until < now_ms() - 90000`,
  },
  {
    name: 'message counts are right, and sequence numbers have no gaps',
    violationQuery: `select ${CONVERSATION} || ' stores ' || c.message_count || ' and has ' || coalesce(m.present, 0) || ' messages up to ' || coalesce(m.newest, 0) as problem
      from conversations c left join (select account_id, conversation_id, count(*) as present, max(sequence) as newest, min(sequence) as oldest
        from messages group by account_id, conversation_id) m on m.account_id = c.account_id and m.conversation_id = c.id
      where c.message_count <> coalesce(m.present, 0) or c.message_count <> coalesce(m.newest, 0) or coalesce(m.oldest, 1) <> 1`,
  },
  {
    name: 'no side has read past the newest message',
    violationQuery: `select 'conversation ' || r.conversation_id || ' of account ' || r.account_id as problem
      from read_markers r left join conversations c on c.account_id = r.account_id and c.id = r.conversation_id
      where r.visitor_up_to > coalesce(c.message_count, -1) or r.operator_up_to > coalesce(c.message_count, -1)`,
  },
  {
    name: 'no row refers to a missing row',
    violationQuery: [
      ['messages', 'conversation_id', 'conversations'],
      ['satisfactions', 'conversation_id', 'conversations'],
      ['conversation_tags', 'conversation_id', 'conversations'],
      ['conversation_tags', 'tag_id', 'tags'],
      ['conversations', 'visitor_id', 'visitors'],
      ['webhook_deliveries', 'webhook_id', 'webhooks'],
    ]
      .map(([table, column, owner]) => {
        const missing = `not exists (select 1 from ${owner} o where o.account_id = x.account_id and o.id = x.${column})`;
        return `select '${table} of account ' || x.account_id || ' refer to missing ${column} ' || x.${column} as problem from ${table} x
          where x.${column} is not null and ${missing}`;
      })
      .join(' union '),
  },
  {
    name: 'nothing is stored about the context of an erased or missing visitor',
    violationQuery: `select 'context of visitor ' || x.visitor_id || ' of account ' || x.account_id as problem from visitor_context x
      where not exists (select 1 from visitors v where v.account_id = x.account_id and v.id = x.visitor_id and v.erased_at is null)`,
  },
];
