import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';

/** What the databases cost without any of ours around them, so that figures can be read as ratios. */

const TEXT = 'x'.repeat(200);

/** One small row after the other, each on the disk before the next. */
export function measureSyncs(folder: string, milliseconds: number): number {
  const database = new DatabaseSync(join(folder, 'syncs.db'));
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table rows (id integer primary key, text)',
  );
  const insert = database.prepare('insert into rows (text) values (?)');
  const begin = performance.now();
  let count = 0;
  for (; performance.now() - begin < milliseconds; count += 1) insert.run(TEXT);
  const perSecond = count / ((performance.now() - begin) / 1000);
  database.close();
  return perSecond;
}

export interface PostgresCosts {
  readonly milliseconds: number;
  /** `select 1` on one connection, each after the answer to the one before. */
  readonly tripsPerSecond: number;
  /** Rows that are stored one by one, each synced to the disk before it is answered. */
  readonly commitsPerSecond: readonly { readonly connections: number; readonly perSecond: number }[];
}

export async function measurePostgres(url: string, milliseconds: number, connections: readonly number[]) {
  const tripsPerSecond = await rate(url, 1, milliseconds, (sql) => sql`select 1`);
  const commitsPerSecond: { connections: number; perSecond: number }[] = [];
  await once(
    url,
    (sql) => sql`create table plain_costs (id bigint generated always as identity primary key, text text)`,
  );
  for (const number of connections) {
    const store = (sql: postgres.Sql) => sql`insert into plain_costs (text) values (${TEXT})`;
    commitsPerSecond.push({ connections: number, perSecond: await rate(url, number, milliseconds, store) });
  }
  await once(url, (sql) => sql`drop table plain_costs`);
  return { milliseconds, tripsPerSecond, commitsPerSecond };
}

/** On so many connections, each doing one after the other. */
async function rate(
  url: string,
  connections: number,
  milliseconds: number,
  work: (sql: postgres.Sql) => Promise<unknown>,
): Promise<number> {
  const open = Array.from({ length: connections }, () => postgres(url, { max: 1 }));
  for (const sql of open) await work(sql); // connects and prepares
  const begin = performance.now();
  let count = 0;
  await Promise.all(
    open.map(async (sql) => {
      for (; performance.now() - begin < milliseconds; count += 1) await work(sql);
    }),
  );
  const perSecond = count / ((performance.now() - begin) / 1000);
  for (const sql of open) await sql.end();
  return perSecond;
}

async function once(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await work(sql);
  await sql.end();
}
