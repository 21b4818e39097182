export interface Invariant {
  readonly name: string;
  /** Selects one row with a text `problem` for everything that is wrong. */
  readonly broken: string;
  /** Holds only while a service runs, which notices in time what is over. */
  readonly whileServed?: true;
}

const OPERATOR = `'operator ' || l.operator_id || ' of account ' || l.account_id`;
const CONVERSATION = `'conversation ' || c.id || ' of account ' || c.account_id`;

const SHARED_LISTS = ['website_list', 'skill_list', 'language_list'];
const HISTORY = ['enabled', 'available', 'slots'].flatMap((what) =>
  ['chat', 'call', 'video'].map((channel) => `${channel}_${what}`),
);

/** What must always hold of presence, conversations and messages. */
export const ENGINE_INVARIANTS: readonly Invariant[] = [
  {
    name: "an operator's lease ends with the last of their sessions, and routing with the last that is not in its grace",
    broken: `select ${OPERATOR} || ' until ' || l.lease_until || ', routable until ' || l.routable_until as problem from operator_live l
      where l.routable_until > l.lease_until
      or l.lease_until <> coalesce((select max(s.expires_at) from operator_leases s
        where s.account_id = l.account_id and s.operator_id = l.operator_id), 0)
      or l.routable_until <> coalesce((select max(s.expires_at) from operator_leases s
        where s.account_id = l.account_id and s.operator_id = l.operator_id and s.in_grace = 0), 0)`,
  },
  {
    name: 'nobody is still connected by a lease that has ended',
    whileServed: true,
    broken: `select ${OPERATOR} || ' since ' || l.lease_until as problem from operator_live l
      where l.lease_until > 0 and l.lease_until < now_ms() - 60000`,
  },
  {
    name: 'routing sees operators where their own rows put them',
    broken: `select ${OPERATOR} as problem from operator_live l
      join operators o on o.account_id = l.account_id and o.id = l.operator_id
      where coalesce(l.group_id, 0) <> coalesce(o.group_id, 0) or ${SHARED_LISTS.map((list) => `l.${list} <> o.${list}`).join(' or ')}`,
  },
  {
    name: 'the history of live states ends with the present one',
    broken: `select ${OPERATOR} || ' after version ' || h.version as problem from operator_live l
      join live_history h on h.account_id = l.account_id and h.operator_id = l.operator_id
        and h.version = (select max(n.version) from live_history n where n.account_id = l.account_id and n.operator_id = l.operator_id)
      where h.connected <> case when l.lease_until > 0 then 1 else 0 end
      or ${HISTORY.map((column) => `h.${column} <> l.${column}`).join(' or ')}`,
  },
  {
    name: 'conversations are with somebody exactly while they are offered or active, and closed ones say when',
    broken: `select ${CONVERSATION} || ' is ' || c.state as problem from conversations c
      where (c.state in ('offered', 'active') and not exists
        (select 1 from operators o where o.account_id = c.account_id and o.id = c.operator_id))
      or (c.state = 'queued' and c.operator_id is not null)
      or (c.state = 'closed' and c.closed_at is null) or (c.state <> 'closed' and c.closed_at is not null)
      or (c.state = 'offered' and c.offer_until is null)`,
  },
  {
    name: 'messages of a conversation are counted without holes',
    broken: `select ${CONVERSATION} || ' keeps ' || c.message_count || ' and has ' || coalesce(m.present, 0) || ' messages up to ' || coalesce(m.newest, 0) as problem
      from conversations c left join (select account_id, conversation_id, count(*) as present, max(sequence) as newest, min(sequence) as oldest
        from messages group by account_id, conversation_id) m on m.account_id = c.account_id and m.conversation_id = c.id
      where c.message_count <> coalesce(m.present, 0) or c.message_count <> coalesce(m.newest, 0) or coalesce(m.oldest, 1) <> 1`,
  },
  {
    name: 'nothing belongs to what is not there',
    broken: [
      ['messages', 'conversation_id', 'conversations'],
      ['satisfactions', 'conversation_id', 'conversations'],
      ['conversation_tags', 'conversation_id', 'conversations'],
      ['conversation_tags', 'tag_id', 'tags'],
      ['conversations', 'visitor_id', 'visitors'],
      ['webhook_deliveries', 'webhook_id', 'webhooks'],
    ]
      .map(([table, column, owner]) => {
        const missing = `not exists (select 1 from ${owner} o where o.account_id = x.account_id and o.id = x.${column})`;
        return `select '${table} of account ' || x.account_id || ' name ${column} ' || x.${column} as problem from ${table} x
          where x.${column} is not null and ${missing}`;
      })
      .join(' union '),
  },
];
