import type { Migration } from './migration.ts';

/** Accounts, identity, directory, operators, live state, basic conversations and the event log. */
export const foundation: Migration = {
  name: '0001-foundation',
  statements: ({ orderedText }) => [
    `create table accounts (
      id bigint primary key, name text not null, lang text not null, premium_enabled integer not null,
      created_at bigint not null, event_position bigint not null,
      operator_count bigint not null, admin_count bigint not null)`,
    `create table counters (
      account_id bigint not null, name text not null, value bigint not null, primary key (account_id, name))`,

    `create table logins (
      email_folded ${orderedText} primary key, account_id bigint not null, operator_id bigint not null,
      password_hash text)`,
    `create index logins_operator on logins (account_id, operator_id)`,
    `create table access_tokens (
      token_hash text primary key, account_id bigint not null, operator_id bigint not null,
      issued_at bigint not null, expires_at bigint not null)`,
    `create index access_tokens_operator on access_tokens (account_id, operator_id)`,
    `create index access_tokens_expiry on access_tokens (expires_at)`,
    `create table api_keys (
      account_id bigint not null, id bigint not null, name text not null, prefix text not null,
      key_hash text not null unique, access text not null, created_at bigint not null, expires_at bigint,
      last_used_at bigint, revoked_at bigint, primary key (account_id, id))`,
    `create table login_windows (subject text primary key, attempts text not null, ends_at bigint not null)`,
    `create index login_windows_end on login_windows (ends_at)`,
    `create table idempotency_keys (
      account_id bigint not null, credential text not null, key_hash text not null, request_hash text not null,
      status integer not null, location text, body text not null, created_at bigint not null,
      primary key (account_id, credential, key_hash))`,
    `create index idempotency_keys_age on idempotency_keys (created_at)`,

    `create table websites (
      account_id bigint not null, id bigint not null, url text not null, url_folded ${orderedText} not null,
      label text not null, label_folded ${orderedText} not null, currency text not null,
      language_admin text not null, timezone text not null, operator_count bigint not null,
      primary key (account_id, id))`,
    `create table groups (
      account_id bigint not null, id bigint not null, name text not null, name_folded ${orderedText} not null,
      parent_id bigint, position integer not null, created_at bigint not null, operator_count bigint not null,
      primary key (account_id, id))`,
    `create index groups_parent on groups (account_id, parent_id)`,
    `create table skills (
      account_id bigint not null, id bigint not null, name text not null, name_folded ${orderedText} not null,
      parent_id bigint, position integer not null, created_at bigint not null, operator_count bigint not null,
      primary key (account_id, id))`,
    `create index skills_parent on skills (account_id, parent_id)`,

    `create table operators (
      account_id bigint not null, id bigint not null, version bigint not null,
      name text not null, name_folded ${orderedText} not null, first_name text not null, pseudo text not null,
      email text not null, email_folded ${orderedText} not null,
      external_id ${orderedText}, external_id_folded ${orderedText},
      roles text not null, language_list text not null, language_admin text not null, group_id bigint,
      website_list text not null, skill_list text not null, call_config text not null,
      sso_version integer not null, created_at bigint not null,
      primary key (account_id, id))`,
    // Rows are wide, so scanning the table is slow; these indexes contain all columns that list filters use.
    `create index operators_name on operators (account_id, name_folded, id)`,
    `create index operators_email on operators (account_id, email_folded, id)`,
    `create index operators_external_id_folded on operators (account_id, external_id_folded, id)`,
    `create unique index operators_external_id on operators (account_id, external_id)`,
    `create index operators_group on operators (account_id, group_id, id)`,
    `create table operator_websites (
      account_id bigint not null, website_id bigint not null, operator_id bigint not null,
      primary key (account_id, website_id, operator_id))`,
    `create index operator_websites_operator on operator_websites (account_id, operator_id, website_id)`,
    `create table operator_skills (
      account_id bigint not null, skill_id bigint not null, operator_id bigint not null,
      primary key (account_id, skill_id, operator_id))`,
    `create index operator_skills_operator on operator_skills (account_id, operator_id, skill_id)`,
    `create table operator_live (
      account_id bigint not null, operator_id bigint not null, version bigint not null,
      lease_until bigint not null, first_login_at bigint, named_only integer not null,
      chat_enabled integer not null, call_enabled integer not null, video_enabled integer not null,
      chat_available integer not null, call_available integer not null, video_available integer not null,
      chat_slots integer not null, call_slots integer not null, video_slots integer not null,
      chat_max_number integer not null, chat_and_call integer not null, chat_to_video integer not null,
      chat_priority integer not null, call_priority integer not null, video_priority integer not null,
      primary key (account_id, operator_id))`,
    `create index operator_live_lease on operator_live (account_id, lease_until)`,
    `create index operator_live_login on operator_live (account_id, operator_id) where first_login_at is not null`,
    `create table operator_leases (
      account_id bigint not null, operator_id bigint not null, lease_id text not null, expires_at bigint not null,
      primary key (account_id, operator_id, lease_id))`,
    `create table operator_profiles (
      account_id bigint not null, operator_id bigint not null, status text not null, description text not null,
      facebook text not null, twitter text not null, city text not null, country text not null,
      primary key (account_id, operator_id))`,

    `create table conversations (
      account_id bigint not null, id bigint not null, channel text not null, website_id bigint not null,
      skill_id bigint, group_id bigint, operator_id bigint, language text not null, state text not null,
      created_at bigint not null, accepted_at bigint, first_answer_at bigint, closed_at bigint,
      primary key (account_id, id))`,
    `create index conversations_operator on conversations
      (account_id, operator_id, state, accepted_at, first_answer_at, closed_at)`,
    `create index conversations_open on conversations (account_id, website_id, skill_id, group_id)
      where state <> 'closed'`,
    `create table satisfactions (
      account_id bigint not null, id bigint not null, conversation_id bigint not null, website_id bigint not null,
      operator_id bigint, note_welcome integer not null, note_resolution integer not null,
      note_delay integer not null, comment text not null, created_at bigint not null,
      primary key (account_id, id), unique (account_id, conversation_id))`,
    `create index satisfactions_operator on satisfactions
      (account_id, operator_id, note_welcome, note_resolution, note_delay, id)`,

    `create table events (
      account_id bigint not null, position bigint not null, type text not null, subject_type text not null,
      subject_id bigint not null, actor_type text not null, actor_id bigint, at bigint not null,
      changes text not null, primary key (account_id, position))`,
    `create index events_subject on events (account_id, subject_type, subject_id, position)`,
  ],
};
