import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';

/** What the databases cost on their own, so that figures can be read as ratios. */

const TEXT = 'x'.repeat(200);

/** Stores small rows one by one, each synced to disk before the next. Returns rows per second. */
export function measureSyncedWrites(folder: string, milliseconds: number): number {
  const database = new DatabaseSync(join(folder, 'syncs.db'));
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table rows (id integer primary key, text)',
  );
  const insert = database.prepare('insert into rows (text) values (?)');
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < milliseconds; count += 1) insert.run(TEXT);
  const perSecond = count / ((performance.now() - startedAt) / 1000);
  database.close();
  return perSecond;
}

export interface PostgresCosts {
  readonly milliseconds: number;
  /** Sequential `select 1` on one connection. */
  readonly tripsPerSecond: number;
  /** Rows stored one by one, each synced to disk before the reply. */
  readonly commitsPerSecond: readonly { readonly connections: number; readonly perSecond: number }[];
}

export async function measurePostgres(url: string, milliseconds: number, connections: readonly number[]) {
  const tripsPerSecond = await measureRate(url, 1, milliseconds, (sql) => sql`select 1`);
  const commitsPerSecond: { connections: number; perSecond: number }[] = [];
  await runOnce(
    url,
    (sql) => sql`create table plain_costs (id bigint generated always as identity primary key, text text)`,
  );
  for (const connectionCount of connections) {
    const store = (sql: postgres.Sql) => sql`insert into plain_costs (text) values (${TEXT})`;
    commitsPerSecond.push({
      connections: connectionCount,
      perSecond: await measureRate(url, connectionCount, milliseconds, store),
    });
  }
  await runOnce(url, (sql) => sql`drop table plain_costs`);
  return { milliseconds, tripsPerSecond, commitsPerSecond };
}

/** Sequential `select 1` on one connection. */
export async function measureRoundTripMs(url: string, milliseconds: number): Promise<number> {
  return 1000 / (await measureRate(url, 1, milliseconds, (sql) => sql`select 1`));
}

/** Repeats the work sequentially on each of the connections. */
async function measureRate(
  url: string,
  connections: number,
  milliseconds: number,
  work: (sql: postgres.Sql) => Promise<unknown>,
): Promise<number> {
  const clients = Array.from({ length: connections }, () => postgres(url, { max: 1 }));
  for (const sql of clients) await work(sql); // connects and prepares
  const startedAt = performance.now();
  let count = 0;
  await Promise.all(
    clients.map(async (sql) => {
      for (; performance.now() - startedAt < milliseconds; count += 1) await work(sql);
    }),
  );
  const perSecond = count / ((performance.now() - startedAt) / 1000);
  for (const sql of clients) await sql.end();
  return perSecond;
}

async function runOnce(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await work(sql);
  await sql.end();
}
