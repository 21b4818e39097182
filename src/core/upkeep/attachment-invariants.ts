import type { Invariant } from './engine-invariants.ts';

const ATTACHMENT = `'attachment ' || a.id || ' of account ' || a.account_id`;

/** Invariants of files. */
export const ATTACHMENT_INVARIANTS: readonly Invariant[] = [
  {
    name: 'the size of every attachment is that of its chunks, and no chunk is left alone',
    violationQuery: `select ${ATTACHMENT} || ' stores ' || a.size || ' bytes in ' || a.chunks || ' chunks and has ' || coalesce(c.bytes, 0) || ' in ' || coalesce(c.present, 0) as problem
      from attachments a left join (select account_id, attachment_id, count(*) as present, sum(length(bytes)) as bytes
        from attachment_chunks group by account_id, attachment_id) c on c.account_id = a.account_id and c.attachment_id = a.id
      where a.size <> coalesce(c.bytes, 0) or a.chunks <> coalesce(c.present, 0)
      union all select 'chunk ' || c.number || ' of the missing attachment ' || c.attachment_id || ' of account ' || c.account_id
        from attachment_chunks c where not exists
        (select 1 from attachments a where a.account_id = c.account_id and a.id = c.attachment_id)`,
  },
  {
    name: 'the space taken by attachments is the sum of theirs',
    violationQuery: `select 'account ' || u.account_id || ' stores ' || u.bytes || ' bytes' as problem from attachment_usage u
      where u.bytes <> coalesce((select sum(a.reserved) from attachments a where a.account_id = u.account_id), 0)
      union all select distinct 'account ' || a.account_id || ' stores attachments and no sum' from attachments a
      where a.reserved > 0 and not exists (select 1 from attachment_usage u where u.account_id = a.account_id)`,
  },
  {
    name: 'attachments that were sent belong to a message, and all others to none',
    violationQuery: `select ${ATTACHMENT} || ' is ' || a.state as problem from attachments a
      where (a.state = 'attached' and not exists (select 1 from messages m where m.account_id = a.account_id
        and m.conversation_id = a.conversation_id and m.sequence = a.sequence))
      or (a.state in ('pending', 'complete') and a.sequence is not null)`,
  },
];
