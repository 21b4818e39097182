import type { ExclusiveWork } from '../database.ts';
import type { IndexDefinition } from '../migrations/migration.ts';
import type { RunningClock } from '../running-clock.ts';
import { Session } from './session.ts';

/** A pair, so that it is never the lock of an account. The copy of an installation uses another one. */
const LOCK = '1400204146, 2';

/** Building an index on a very large table can take hours. */
const TIMEOUT_MS = 24 * 3_600_000;

/**
 * Holds a lock on a connection of its own while `work` runs. The server releases it when the connection ends, but not
 * before it has stopped building an index. It is tried and never waited for: building an index waits for all older
 * statements, and so for a node that waits for the lock.
 */
export async function runExclusively(
  { url, clock, signal }: { url: string; clock: RunningClock; signal: AbortSignal | undefined },
  work: (exclusive: ExclusiveWork) => Promise<void>,
): Promise<boolean> {
  const lost = new AbortController();
  const session = new Session(url, {
    ...{ timeoutMs: TIMEOUT_MS, clock, settings: { statement_timeout: TIMEOUT_MS } },
    onLost: () => lost.abort(),
  });
  const interrupt = () => session.discard();
  signal?.addEventListener('abort', interrupt);
  try {
    const { rows } = await session.execute(`select pg_try_advisory_lock(${LOCK}) as is_locked`, []);
    if ((rows[0] as { isLocked: number }).isLocked === 0) return false;
    await work({ createIndex: (index) => createIndex(session, index), lost: lost.signal });
    return true;
  } finally {
    signal?.removeEventListener('abort', interrupt);
    session.discard();
  }
}

/** An interrupted build leaves an invalid index, which slows down writes and serves no query. */
async function createIndex(session: Session, { name, on }: IndexDefinition): Promise<void> {
  const { rows } = await session.execute(
    `select 1 from pg_index where indexrelid = to_regclass('${name}') and not indisvalid`,
    [],
  );
  if (rows.length > 0) await session.execute(`drop index concurrently if exists ${name}`, []);
  await session.execute(`create index concurrently if not exists ${name} on ${on}`, []);
}
