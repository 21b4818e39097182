import type { Migration } from './migration.ts';

const CHANNELS = ['chat', 'call', 'video'] as const;
type Channel = (typeof CHANNELS)[number];
/** A row of `operator_live`: its alias, or the row before or after the change in a trigger. */
type LiveRow = 'live' | 'old' | 'new';

const NOT_BLOCKED_BY_OTHER_CHANNELS: Record<Channel, (row: LiveRow) => string> = {
  chat: (row) => `${row}.video_slots = 0 and (${row}.call_slots = 0 or ${row}.chat_and_call = 1)`,
  call: (row) => `${row}.video_slots = 0 and (${row}.chat_slots = 0 or ${row}.chat_and_call = 1)`,
  video: (row) => `${row}.call_slots = 0`,
};

/** The condition of the indexes on routable operators. */
const isRoutable = (channel: Channel, row: LiveRow) =>
  `(${row}.routable_until > 0 and ${row}.${channel}_enabled = 1 and ${row}.${channel}_available = 1
    and ${row}.${channel}_slots < ${channel === 'chat' ? `${row}.chat_max_number` : '1'} and ${NOT_BLOCKED_BY_OTHER_CHANNELS[channel](row)})`;
/** One bit for each channel on which an operator is routable. */
const routableChannels = (row: LiveRow) =>
  `(${CHANNELS.map((channel, index) => `case when ${isRoutable(channel, row)} then ${2 ** index} else 0 end`).join(' + ')})`;

/** PostgreSQL also computes it for operators without slots, who are on no list. */
const share = (row: LiveRow) => `coalesce(${row}.chat_slots * 1000000 / nullif(${row}.chat_max_number, 0), 0)`;
const columns = (row: LiveRow, names: readonly string[]) => `(${names.map((name) => `${row}.${name}`).join(', ')})`;
const NEED_COLUMNS = ['group_id', 'website_list', 'skill_list', 'language_list'];
const ORDER_COLUMNS = [
  ...['assigned_at', 'chat_slots', 'chat_max_number'],
  ...CHANNELS.map((channel) => `${channel}_priority`),
];
const isChanged = (names: readonly string[]) => `${columns('old', names)} is distinct from ${columns('new', names)}`;

/** Makes `,skill 1,skill 2` of `[1,2]`. The items are numbers and codes of two letters. */
const toNeeds = (kind: string, list: string) =>
  `',${kind} ' || replace(replace(replace(replace(${list}, '[', ''), ']', ''), '"', ''), ',', ',${kind} ')`;
/** Whether an operator meets a need: all that they meet become one text, with a comma around each. */
const meets = (row: LiveRow, need: string) =>
  `(coalesce(',group ' || ${row}.group_id, '') || ${toNeeds('website', `${row}.website_list`)}
    || ${toNeeds('skill', `${row}.skill_list`)} || ${toNeeds('language', `${row}.language_list`)} || ',')
    like '%,' || ${need} || ',%'`;

const insertFrom = (row: 'live' | 'new', need: string, source: string) =>
  `insert into listed_operators (account_id, operator_id, channel, need, priority, share, assigned_at) ${CHANNELS.map(
    (channel) => `select ${row}.account_id, ${row}.operator_id, '${channel}', ${need}, ${row}.${channel}_priority,
      ${channel === 'chat' ? share(row) : '0'}, ${row}.assigned_at from ${source} and ${isRoutable(channel, row)}
      and ${meets(row, need)}`,
  ).join(' union all ')}`;
const INSERT_OPERATOR = insertFrom('new', 'l.need', 'routing_lists l where l.account_id = new.account_id');
const INSERT_LIST = insertFrom('live', 'new.need', 'operator_live live where live.account_id = new.account_id');
const DELETE_OPERATOR =
  'delete from listed_operators where account_id = old.account_id and operator_id = old.operator_id';
const DELETE_LIST = 'delete from listed_operators where account_id = old.account_id and need = old.need';
const UPDATE_ORDER = `update listed_operators set assigned_at = new.assigned_at,
    share = case channel when 'chat' then ${share('new')} else 0 end,
    priority = case channel ${CHANNELS.map((channel) => `when '${channel}' then new.${channel}_priority`).join(' ')} end
  where account_id = new.account_id and operator_id = new.operator_id`;

const HAS_OTHER_LISTS = `(${routableChannels('old')} <> ${routableChannels('new')} or ${isChanged(NEED_COLUMNS)})`;
/** Pings change only times: they leave the lists alone. */
const HAS_OTHER_ORDER = `(${routableChannels('new')} > 0 and ${isChanged(ORDER_COLUMNS)})`;
const TRIGGER_COLUMNS = [
  ...['routable_until', 'chat_and_call', ...NEED_COLUMNS, ...ORDER_COLUMNS, 'call_slots', 'video_slots'],
  ...CHANNELS.flatMap((channel) => [`${channel}_enabled`, `${channel}_available`]),
].join(', ');

const SQLITE_TRIGGERS = [
  `create trigger listed_operators_order after update of ${TRIGGER_COLUMNS} on operator_live
    when ${HAS_OTHER_ORDER} and not ${HAS_OTHER_LISTS} begin ${UPDATE_ORDER}; end`,
  `create trigger listed_operators_change after update of ${TRIGGER_COLUMNS} on operator_live
    when ${HAS_OTHER_LISTS} begin ${DELETE_OPERATOR}; ${INSERT_OPERATOR}; end`,
  `create trigger listed_operators_insert after insert on operator_live
    when ${routableChannels('new')} > 0 begin ${INSERT_OPERATOR}; end`,
  `create trigger listed_operators_delete after delete on operator_live begin ${DELETE_OPERATOR}; end`,
  `create trigger routing_lists_insert after insert on routing_lists begin ${INSERT_LIST}; end`,
  `create trigger routing_lists_delete after delete on routing_lists begin ${DELETE_LIST}; end`,
];

/**
 * Without conditions of the triggers: PostgreSQL parses those again for each statement. While the table is empty, such as
 * at night, a scan is the cheapest plan, and sessions would keep it: the settings of functions and table prevent that.
 */
const POSTGRES_TRIGGERS = [
  'alter table listed_operators set (vacuum_truncate = off)',
  `create function keep_listed_operators() returns trigger language plpgsql set enable_seqscan = off as $$
    begin
      if tg_op = 'UPDATE' then
        if not ${HAS_OTHER_LISTS} then
          if ${HAS_OTHER_ORDER} then ${UPDATE_ORDER}; end if;
          return null;
        end if;
      end if;
      if tg_op <> 'INSERT' then ${DELETE_OPERATOR}; end if;
      if tg_op <> 'DELETE' then ${INSERT_OPERATOR}; end if;
      return null;
    end $$`,
  `create trigger listed_operators_change after insert or delete or update of ${TRIGGER_COLUMNS} on operator_live
    for each row execute function keep_listed_operators()`,
  `create function keep_routing_list() returns trigger language plpgsql set enable_seqscan = off as $$
    begin
      if tg_op = 'INSERT' then ${INSERT_LIST}; else ${DELETE_LIST}; end if;
      return null;
    end $$`,
  `create trigger routing_lists_change after insert or delete on routing_lists
    for each row execute function keep_routing_list()`,
];

/**
 * Lists of the routable operators who meet one need, in the order of routing. Triggers keep them, so that nodes of the
 * previous version keep them too. They are not part of a copy: the triggers of the target fill them.
 */
export const routingLists: Migration = {
  name: '0027-routing-lists',
  additive: true,
  statements: ({ orderedText, hasTriggerFunctions }) => [
    `create table routing_lists (account_id bigint not null, need ${orderedText} not null, primary key (account_id, need))`,
    `create table listed_operators (
      account_id bigint not null, operator_id bigint not null, channel ${orderedText} not null,
      need ${orderedText} not null, priority integer not null, share integer not null, assigned_at bigint not null,
      primary key (account_id, need, channel, priority, share, assigned_at, operator_id))`,
    // Created last: PostgreSQL prefers the newest of indexes that seem equal, as they do while the table is empty.
    'create index listed_operators_operator on listed_operators (account_id, operator_id)',
    ...(hasTriggerFunctions ? POSTGRES_TRIGGERS : SQLITE_TRIGGERS),
  ],
};
