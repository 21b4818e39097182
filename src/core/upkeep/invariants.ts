import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { ATTACHMENT_INVARIANTS } from './attachment-invariants.ts';
import { ENGINE_INVARIANTS, type Invariant } from './engine-invariants.ts';

export interface InvariantReport {
  readonly name: string;
  readonly problems: readonly string[];
}

/** Each invariant is checked by a query for its violations. */
const INVARIANTS: readonly Invariant[] = [
  {
    name: 'stored counts of operators and admins equal a recount',
    violationQuery: `select 'account ' || a.id || ' stores ' || a.operator_count || ' operators and ' || a.admin_count || ' admins' as problem
      from accounts a where a.operator_count <> (select count(*) from operators o where o.account_id = a.id)
      or a.admin_count <> (select count(*) from operators o where o.account_id = a.id and o.roles like '%"admin"%')`,
  },
  {
    name: 'stored counts of groups, websites and skills equal a recount',
    violationQuery: `select 'group ' || g.id || ' of account ' || g.account_id || ' stores ' || g.operator_count as problem from groups g
        where g.operator_count <> (select count(*) from operators o where o.account_id = g.account_id and o.group_id = g.id)
      union all select 'website ' || w.id || ' of account ' || w.account_id || ' stores ' || w.operator_count from websites w
        where w.operator_count <> (select count(*) from operator_websites o where o.account_id = w.account_id and o.website_id = w.id)
      union all select 'skill ' || s.id || ' of account ' || s.account_id || ' stores ' || s.operator_count from skills s
        where s.operator_count <> (select count(*) from operator_skills o where o.account_id = s.account_id and o.skill_id = s.id)`,
  },
  {
    name: 'every account has an admin',
    violationQuery: `select 'account ' || id || ' has no admin' as problem from accounts where admin_count < 1`,
  },
  {
    name: 'every operator has one live row and one login',
    violationQuery: `select 'operator ' || o.id || ' of account ' || o.account_id as problem from operators o
        where not exists (select 1 from operator_live l where l.account_id = o.account_id and l.operator_id = o.id)
        or not exists (select 1 from logins l where l.account_id = o.account_id and l.operator_id = o.id and l.email_folded = o.email_folded)
      union all select 'live row without operator: ' || l.operator_id from operator_live l
        where not exists (select 1 from operators o where o.account_id = l.account_id and o.id = l.operator_id)
      union all select 'login without operator: ' || l.operator_id from logins l
        where not exists (select 1 from operators o where o.account_id = l.account_id and o.id = l.operator_id)`,
  },
  {
    name: 'slots in use equal the conversations that use them',
    violationQuery: `select 'operator ' || l.operator_id || ' of account ' || l.account_id || ' counts chat ' || l.chat_slots || ', call ' || l.call_slots || ', video ' || l.video_slots as problem
      from operator_live l where
        l.chat_slots <> (select count(*) from conversations c where c.account_id = l.account_id and c.operator_id = l.operator_id and c.channel = 'chat' and c.state in ('offered', 'active'))
        or l.call_slots <> (select count(*) from conversations c where c.account_id = l.account_id and c.operator_id = l.operator_id and c.channel = 'call' and c.state in ('offered', 'active'))
        or l.video_slots <> (select count(*) from conversations c where c.account_id = l.account_id and c.operator_id = l.operator_id and c.channel = 'video' and c.state in ('offered', 'active'))`,
  },
  {
    name: 'positions of the event log have no gaps',
    // Retention deletes the oldest events; the newest one always exists.
    violationQuery: `select 'account ' || a.id || ' is at ' || a.event_position || ' with ' || count(e.position) || ' events from ' || coalesce(min(e.position), 0) || ' to ' || coalesce(max(e.position), 0) as problem
      from accounts a left join events e on e.account_id = a.id group by a.id, a.event_position
      having count(e.position) <> coalesce(max(e.position) - min(e.position) + 1, 0) or coalesce(max(e.position), 0) <> a.event_position`,
  },
  ...ENGINE_INVARIANTS,
  ...ATTACHMENT_INVARIANTS,
];

/** Without a running service, expired leases are expected and not reported. */
export async function checkInvariants(
  database: Database,
  { isServiceRunning = true }: { readonly isServiceRunning?: boolean } = {},
): Promise<InvariantReport[]> {
  const reports: InvariantReport[] = [];
  const invariants = INVARIANTS.filter(({ onlyWhileRunning }) => isServiceRunning || !onlyWhileRunning);
  for (const { name, violationQuery } of invariants) {
    const { rows } = await sql<{ problem: string }>`${sql.raw(violationQuery)}`.execute(database.read);
    reports.push({ name, problems: rows.map((row) => row.problem) });
  }
  return reports;
}
