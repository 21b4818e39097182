import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { CopyingPlace, dumpFile, dumpPostgres, inFile, inPostgres, untilUnused } from '../support/databases/copying.ts';
import { postgresServer } from '../support/databases/postgres-database.ts';
import { spawnOwn } from '../support/processes/own-processes.ts';
import { environment } from '../support/processes/switchboard.ts';
import { until } from '../support/waiting/until.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const UNFINISHED = /^The database is the target of a copy that is not finished\. Run the same/;

describe('a copy that is interrupted', { skip: postgresServer === undefined }, () => {
  const place = new CopyingPlace();
  before(async () => {
    await place.run(place.sqlite('large'), ['demo'], { secret: '' });
    cpSync(join(place.folder, 'large'), join(place.folder, 'small'), { recursive: true });
    inFile(place.file('large'), manyMessages(20_000)); // a piece of a copy has 5,000 at most
    inFile(place.file('small'), manyMessages(3000));
  });
  after(() => place.end());

  test('by Ctrl+C, by a lost connection and by kill -9 goes on each time where it stopped', async () => {
    const from = place.sqlite('large');
    const target = await place.migratedPostgres();

    const stopped = await begin({ from, target }, 1000, ({ child }) => child.kill('SIGINT'));
    assert.deepEqual(stopped, {
      code: 1,
      stderr: '\nStopped. Run the same command again: it goes on where it stopped.\n',
    });

    const cutOff = await begin({ from, target }, 5500, () => endHeldSession(target));
    assert.equal(cutOff.code, 1);
    assert.match(cutOff.stderr, /^The copy stopped at the table messages\. When this is mended, run the same command/);

    const killed = await begin({ from, target }, 10_000, ({ child }) => child.kill('SIGKILL'));
    assert.deepEqual(killed, { code: null, stderr: '' });
    const node = await place.run(target, ['serve']);
    assert.deepEqual([node.code, UNFINISHED.test(node.stderr)], [1, true], node.stderr);

    const there = await rowsNoted(target);
    const said = await place.succeed(from, target);
    const already = countIn(said, /begun: ([\d,]+) rows are there already/);
    const copied = countIn(said, /Copied ([\d,]+) rows/);
    const dump = dumpFile(place.file('large'));
    assert.equal(already, there, 'what a finished piece brought is not copied again');
    assert.ok(already > 5500 && copied > 0);
    assert.equal(already + copied, Object.values(dump).flat().length);
    assert.deepEqual(await dumpPostgres(target), dump);
    const { code, stdout } = await place.run(target, ['doctor']);
    assert.equal(code, 0, stdout);
  });

  test('does not go on from another source or a changed one, and is not used when a row was changed', async () => {
    const from = place.sqlite('small');
    const target = await place.migratedPostgres();
    await begin({ from, target }, 1000, ({ child }) => child.kill('SIGKILL'));
    await place.run(place.sqlite('other'), ['demo'], { secret: '' });
    await place.refuse(/beginning of a copy of another installation.*--begin-again/, place.sqlite('other'), target);

    await inPostgres(target, (sql) => sql`update operators set pseudo = 'Somebody' where id = 7`);
    await place.refuse(/differs from the source in: operators\. It cannot be used: add --begin-again/, from, target);
    assert.match((await place.run(target, ['doctor'])).stderr, UNFINISHED);

    inFile(place.file('small'), `update counters set value = value + 1 where name = 'operator'`);
    await place.refuse(/The source has changed since its copy .*--begin-again/, from, target);
    assert.match(await place.succeed(from, target, '--begin-again'), /The copy is complete/);
    assert.deepEqual(await dumpPostgres(target), dumpFile(place.file('small')));
  });

  /** Begins a copy, or goes on with it, and does something to it while the piece is written that brings so many messages. */
  async function begin(ends: Ends, messages: number, interrupt: (copying: Copying) => unknown): Promise<Ended> {
    const { target } = ends;
    await untilUnused(target);
    return inPostgres(target, async (sql) => {
      await sql.unsafe(holdAbove(messages));
      await sql`select pg_advisory_lock(${HOLD})`;
      const copying = startCopy(ends);
      await until('the copy is held', async () => (await heldSessions(sql)).length > 0);
      await interrupt(copying);
      await sql`select pg_advisory_unlock(${HOLD})`;
      return copying.ended;
    });
  }

  function startCopy({ from, target }: Ends): Copying {
    const child = spawnOwn(process.execPath, [MAIN, 'copy', '--from', from, '--to', target, '--ignore-connections'], {
      env: environment(place.folder, { SWITCHBOARD_SECRET: '' }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => resolve({ code, stderr }));
    });
    return { child, ended };
  }
});

interface Ends {
  readonly from: string;
  readonly target: string;
}

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

interface Copying {
  readonly child: ReturnType<typeof spawnOwn>;
  readonly ended: Promise<Ended>;
}

/** The key of an advisory lock: the test has it, and the copy waits for it. */
const HOLD = 4711;

/** From now on whoever brings more messages than these has to wait for the test. */
function holdAbove(messages: number): string {
  return `
    create or replace function hold() returns trigger language plpgsql as $$ begin
      if (select count(*) from messages) > ${messages} then perform pg_advisory_xact_lock_shared(${HOLD}); end if;
      return null;
    end $$;
    create or replace trigger hold after insert on messages execute function hold()`;
}

function heldSessions(sql: postgres.Sql) {
  return sql`select pid from pg_locks where locktype = 'advisory' and objid = ${HOLD} and not granted
    and database = (select oid from pg_database where datname = current_database())`;
}

function endHeldSession(address: string): Promise<unknown> {
  return inPostgres(address, (sql) => sql`select pg_terminate_backend(pid) from (${heldSessions(sql)}) as held`);
}

function rowsNoted(address: string): Promise<number> {
  return inPostgres(address, async (sql) => {
    const [row] = await sql`
      select sum((value::json ->> 'rows')::int)::int as rows from copy_progress where what like 'table %'`;
    return row?.rows;
  });
}

function countIn(said: string, pattern: RegExp): number {
  return Number((said.match(pattern)?.[1] ?? assert.fail(said)).replaceAll(',', ''));
}

function manyMessages(count: number): string {
  return `
    insert into conversations (account_id, id, channel, website_id, language, state, created_at, closed_at, closed_by, message_count)
      values (1, 900000, 'chat', 1, 'en', 'closed', 1, 2, 'system', ${count});
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into messages (account_id, conversation_id, sequence, client_id, author_type, text, at)
      select 1, 900000, i, 'client ' || i, 'visitor', 'Message ' || i, i from n`;
}
