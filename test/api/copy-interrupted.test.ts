import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CopyingPlace, dumpFile, dumpPostgres, inFile, inPostgres } from '../support/copying.ts';
import { postgresServer } from '../support/postgres-database.ts';
import { environment } from '../support/switchboard.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const MESSAGES = 60_000;
const UNFINISHED = /^The database is the target of a copy that is not finished\. Run the same/;

describe('a copy that is interrupted', { skip: postgresServer === undefined }, () => {
  const place = new CopyingPlace();
  const from = place.sqlite('large');
  before(async () => {
    await place.run(from, ['demo'], { secret: '' });
    inFile(place.file('large'), manyMessages());
  });
  after(() => place.end());

  test('by Ctrl+C, by a lost connection and by kill -9 goes on each time where it stopped', async () => {
    const target = await place.emptyPostgres();

    const stopped = await begin(target, 1000, ({ child }) => child.kill('SIGINT'));
    assert.deepEqual(stopped, {
      code: 1,
      stderr: '\nStopped. Run the same command again: it goes on where it stopped.\n',
    });

    const cutOff = await begin(target, 15_000, () => endOtherSessions(target));
    assert.equal(cutOff.code, 1);
    assert.match(cutOff.stderr, /^The copy stopped at the table messages\. When this is mended, run the same command/);

    const killed = await begin(target, 30_000, ({ child }) => child.kill('SIGKILL'));
    assert.deepEqual(killed, { code: null, stderr: '' });
    const node = await place.run(target, ['serve']);
    assert.deepEqual([node.code, UNFINISHED.test(node.stderr)], [1, true], node.stderr);

    const there = await rowsNoted(target);
    const said = await place.succeed(from, target);
    const already = countIn(said, /begun: ([\d,]+) rows are there already/);
    const copied = countIn(said, /Copied ([\d,]+) rows/);
    const dump = dumpFile(place.file('large'));
    assert.equal(already, there, 'what a finished piece brought is not copied again');
    assert.ok(already > 30_000 && copied > 0);
    assert.equal(already + copied, Object.values(dump).flat().length);
    assert.deepEqual(await dumpPostgres(target), dump);
    const { code, stdout } = await place.run(target, ['doctor']);
    assert.equal(code, 0, stdout);
  });

  test('does not go on from another source or a changed one, and is not used when a row was changed', async () => {
    const target = await place.emptyPostgres();
    await begin(target, 1000, ({ child }) => child.kill('SIGKILL'));
    await place.run(place.sqlite('other'), ['demo'], { secret: '' });
    await place.refuse(/beginning of a copy of another installation.*--begin-again/, place.sqlite('other'), target);

    await inPostgres(target, (sql) => sql`update operators set pseudo = 'Somebody' where id = 7`);
    await place.refuse(/differs from the source in: operators\. It cannot be used: add --begin-again/, from, target);
    assert.match((await place.run(target, ['doctor'])).stderr, UNFINISHED);

    inFile(place.file('large'), `update counters set value = value + 1 where name = 'operator'`);
    await place.refuse(/The source has changed since its copy .*--begin-again/, from, target);
    assert.match(await place.succeed(from, target, '--begin-again'), /The copy is complete/);
    assert.deepEqual(await dumpPostgres(target), dumpFile(place.file('large')));
  });

  /** Begins a copy, or goes on with it, and does something to it when so many messages are there. */
  async function begin(target: string, messages: number, interrupt: (copying: Copying) => unknown): Promise<Ended> {
    const copying = startCopy(target);
    await messagesIn(target, messages);
    await interrupt(copying);
    return copying.ended;
  }

  function startCopy(target: string): Copying {
    const child = spawn(process.execPath, [MAIN, 'copy', '--from', from, '--to', target, '--ignore-connections'], {
      env: environment(place.folder, { SWITCHBOARD_SECRET: '' }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => {
        process.off('exit', endWithUs);
        resolve({ code, stderr });
      });
    });
    return { child, ended };
  }
});

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

interface Copying {
  readonly child: ReturnType<typeof spawn>;
  readonly ended: Promise<Ended>;
}

async function messagesIn(address: string, wanted: number): Promise<void> {
  await inPostgres(address, async (sql) => {
    for (const until = performance.now() + 30_000; performance.now() < until; ) {
      const found = await sql`select count(*) as count from messages`.catch(() => [{ count: 0 }]);
      if (Number(found[0]?.count) > wanted) return;
    }
    assert.fail(`there were never ${wanted} messages`);
  });
}

function endOtherSessions(address: string): Promise<unknown> {
  return inPostgres(
    address,
    (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
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

function manyMessages(): string {
  return `
    insert into conversations (account_id, id, channel, website_id, language, state, created_at, closed_at, closed_by, message_count)
      values (1, 900000, 'chat', 1, 'en', 'closed', 1, 2, 'system', ${MESSAGES});
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${MESSAGES})
    insert into messages (account_id, conversation_id, sequence, client_id, author_type, text, at)
      select 1, 900000, i, 'client ' || i, 'visitor', 'Message ' || i, i from n`;
}
