import type { Migration } from './migration.ts';

const NOT_BLOCKED_BY_OTHER_CHANNELS = {
  chat: 'video_slots = 0 and (call_slots = 0 or chat_and_call = 1)',
  call: 'video_slots = 0 and (chat_slots = 0 or chat_and_call = 1)',
  video: 'call_slots = 0',
} as const;

/**
 * The routable operators of a channel by priority, in the order in which routing chooses them. A query uses the index
 * only if it repeats these conditions exactly: see core/engine/routing/candidates.ts.
 */
function createRoutableIndex(channel: 'chat' | 'call' | 'video'): string {
  const maximum = channel === 'chat' ? 'chat_max_number' : '1';
  const loadColumn = channel === 'chat' ? '(chat_slots * 1000000 / chat_max_number), ' : '';
  return `create index operator_live_${channel} on operator_live
    (account_id, ${channel}_priority, ${loadColumn}assigned_at, operator_id)
    where routable_until > 0 and ${channel}_enabled = 1 and ${channel}_available = 1
    and ${channel}_slots < ${maximum} and ${NOT_BLOCKED_BY_OTHER_CHANNELS[channel]}`;
}

/** Presence and live history, visitors, conversations with messages, routing, webhooks. */
export const engine: Migration = {
  name: '0003-engine',
  statements: ({ orderedText }) => [
    `alter table accounts add column auto_accept integer not null default 0`,
    `alter table accounts add column offer_seconds integer not null default 30`,
    `alter table accounts add column queue_limit integer not null default 1000`,
    `alter table accounts add column lowest_priority_first integer not null default 0`,
    `alter table websites add column allowed_origins text not null default '[]'`,
    `alter table websites add column secret_version integer not null default 1`,
    `alter table events add column via text`,
    `alter table events add column address text`,
    `create index events_age on events (at)`,

    `alter table operator_leases add column in_grace integer not null default 0`,
    `alter table operator_live add column routable_until bigint not null default 0`,
    `alter table operator_live add column kept_offline integer not null default 0`,
    `alter table operator_live add column lost_at bigint`,
    `alter table operator_live add column assigned_at bigint not null default 0`,
    `alter table operator_live add column chat_missed integer not null default 0`,
    `alter table operator_live add column call_missed integer not null default 0`,
    `alter table operator_live add column video_missed integer not null default 0`,
    `alter table operator_live add column group_id bigint`,
    `alter table operator_live add column website_list text not null default '[]'`,
    `alter table operator_live add column skill_list text not null default '[]'`,
    `alter table operator_live add column language_list text not null default '[]'`,
    `update operator_live set
      routable_until = lease_until,
      group_id = (select o.group_id from operators o where o.account_id = operator_live.account_id and o.id = operator_live.operator_id),
      website_list = (select o.website_list from operators o where o.account_id = operator_live.account_id and o.id = operator_live.operator_id),
      skill_list = (select o.skill_list from operators o where o.account_id = operator_live.account_id and o.id = operator_live.operator_id),
      language_list = (select o.language_list from operators o where o.account_id = operator_live.account_id and o.id = operator_live.operator_id)`,
    createRoutableIndex('chat'),
    createRoutableIndex('call'),
    createRoutableIndex('video'),
    `create index operator_live_ending on operator_live (lease_until) where lease_until > 0`,
    `create index operator_live_routable_end on operator_live (routable_until) where routable_until > 0`,
    `create index operator_live_lost on operator_live (lost_at) where lost_at is not null`,
    `create table live_history (
      account_id bigint not null, operator_id bigint not null, version bigint not null, at bigint not null,
      kind text not null, reason text, actor_type text not null, actor_id bigint,
      connected integer not null, in_grace integer not null,
      chat_enabled integer not null, call_enabled integer not null, video_enabled integer not null,
      chat_available integer not null, call_available integer not null, video_available integer not null,
      chat_slots integer not null, call_slots integer not null, video_slots integer not null,
      chat_max_number integer not null, chat_and_call integer not null, chat_to_video integer not null,
      chat_priority integer not null, call_priority integer not null, video_priority integer not null,
      assigned_at bigint not null, group_id bigint, website_list text not null, skill_list text not null,
      language_list text not null, after_decision bigint not null default 0, primary key (account_id, operator_id, version))`,
    `create index live_history_at on live_history (account_id, operator_id, at)`,
    `create index live_history_age on live_history (at)`,

    `create table visitors (
      account_id bigint not null, id bigint not null, unique_id ${orderedText} not null, external_id text,
      external_id_folded ${orderedText}, lastname text not null, firstname text not null, address text not null,
      city text not null, zip text not null, country text not null, phone text not null, email text not null, browser text not null,
      website_list text not null, last_operator_id bigint, created_at bigint not null, erased_at bigint,
      primary key (account_id, id), unique (account_id, unique_id))`,
    `create unique index visitors_external_id on visitors (account_id, external_id)`,
    `create index visitors_external_id_folded on visitors (account_id, external_id_folded, id)`,
    `create table visitor_websites (
      account_id bigint not null, website_id bigint not null, visitor_id bigint not null,
      primary key (account_id, website_id, visitor_id))`,
    `alter table login_windows rename to rate_windows`,
    `create table visitor_tokens (
      token_hash text primary key, account_id bigint not null, visitor_id bigint not null, website_id bigint not null,
      language text not null, issued_at bigint not null, expires_at bigint not null)`,
    `create index visitor_tokens_expiry on visitor_tokens (expires_at)`,
    `create index visitor_tokens_visitor on visitor_tokens (account_id, visitor_id)`,

    `alter table conversations add column visitor_id bigint`,
    `alter table conversations add column client_id text`,
    `alter table conversations add column queue_order bigint not null default 0`,
    `alter table conversations add column offered_at bigint`,
    `alter table conversations add column offer_until bigint`,
    `alter table conversations add column closed_by text`,
    `alter table conversations add column closed_by_id bigint`,
    `alter table conversations add column message_count bigint not null default 0`,
    `alter table conversations add column has_waited integer not null default 0`,
    `alter table conversations add column escalated_from_id bigint`,
    `alter table conversations add column changed_hands integer not null default 0`,
    `create index conversations_waiting on conversations
      (account_id, queue_order, id, channel, website_id, skill_id, group_id, language) where state = 'queued'`,
    `create index conversations_offered on conversations (offer_until) where state = 'offered'`,
    `create index conversations_visitor on conversations (account_id, visitor_id, id)`,
    `create unique index conversations_client on conversations (account_id, visitor_id, client_id)
      where client_id is not null`,
    `create index conversations_created on conversations (account_id, created_at, id)`,
    `create index conversations_skill on conversations (account_id, skill_id, created_at)`,
    `create table messages (
      account_id bigint not null, conversation_id bigint not null, sequence bigint not null,
      client_id text, author_type text not null, author_id bigint, text text not null, at bigint not null,
      primary key (account_id, conversation_id, sequence))`,
    `create unique index messages_client on messages (account_id, conversation_id, author_type, author_id, client_id)
      where client_id is not null`,
    `create table handlings (
      account_id bigint not null, conversation_id bigint not null, operator_id bigint not null,
      accepted_at bigint not null, first_answer_at bigint, primary key (account_id, conversation_id, operator_id))`,
    `create index handlings_operator on handlings (account_id, operator_id, conversation_id)`,
    `create table offer_pauses (
      account_id bigint not null, conversation_id bigint not null, operator_id bigint not null, until bigint not null,
      primary key (account_id, conversation_id, operator_id))`,
    `create index offer_pauses_end on offer_pauses (until)`,
    `create index offer_pauses_operator on offer_pauses (account_id, operator_id)`,
    `create table routing_decisions (
      account_id bigint not null, id bigint not null, conversation_id bigint not null, at bigint not null,
      cause text not null, operator_id bigint, forced integer not null, need text not null, ranked text not null,
      excluded text not null, actor_type text not null, actor_id bigint, primary key (account_id, id))`,
    `create index routing_decisions_conversation on routing_decisions (account_id, conversation_id, id)`,
    `create index routing_decisions_age on routing_decisions (at)`,
    `create table refusals (
      account_id bigint not null, day text not null, website_id bigint not null, reason text not null,
      count bigint not null, primary key (account_id, day, website_id, reason))`,

    `create table tags (
      account_id bigint not null, id bigint not null, name text not null, name_folded ${orderedText} not null,
      website_list text not null, created_at bigint not null, primary key (account_id, id))`,
    `create unique index tags_name on tags (account_id, name_folded)`,
    `create table tag_websites (
      account_id bigint not null, website_id bigint not null, tag_id bigint not null,
      primary key (account_id, website_id, tag_id))`,
    `create table conversation_tags (
      account_id bigint not null, conversation_id bigint not null, tag_id bigint not null,
      primary key (account_id, conversation_id, tag_id))`,
    `create index conversation_tags_tag on conversation_tags (account_id, tag_id, conversation_id)`,

    `create table sso_codes (
      code_hash text primary key, account_id bigint not null, operator_id bigint not null, sso_version integer not null,
      expires_at bigint not null)`,
    `create index sso_codes_expiry on sso_codes (expires_at)`,

    `create table webhooks (
      account_id bigint not null, id bigint not null, name text not null, url text not null, event_types text not null,
      secret text not null, previous_secret text, previous_until bigint, state text not null, paused_because text,
      position bigint not null, failing_since bigint, failed_in_row integer not null,
      dead_in_row integer not null, wait_until bigint,
      created_at bigint not null, primary key (account_id, id))`,
    `create table webhook_deliveries (
      account_id bigint not null, id bigint not null, webhook_id bigint not null, position bigint not null,
      type text not null, subject_type text not null, subject_id bigint not null, body text not null,
      state text not null, attempts integer not null, next_at bigint, tried_at bigint, created_at bigint not null,
      ended_at bigint, last_status integer, last_error text, primary key (account_id, id))`,
    `create unique index webhook_deliveries_event on webhook_deliveries (account_id, webhook_id, position)`,
    `create index webhook_deliveries_list on webhook_deliveries (account_id, webhook_id, id)`,
    `create index webhook_deliveries_open on webhook_deliveries (account_id, webhook_id, state, id)
      where state <> 'delivered'`,
    `create index webhook_deliveries_subject on webhook_deliveries
      (account_id, webhook_id, subject_type, subject_id, position) where state = 'pending'`,
    `create index webhook_deliveries_due on webhook_deliveries
      (account_id, webhook_id, next_at, position) where state = 'pending'`,
    `create index webhook_deliveries_age on webhook_deliveries (ended_at) where ended_at is not null`,
  ],
};
