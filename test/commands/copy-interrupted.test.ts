import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import {
  CopyWorkspace,
  dumpFile,
  dumpPostgres,
  execInFile,
  waitUntilUnused,
  withPostgres,
} from '../support/databases/copy-workspace.ts';
import { postgresServerUrl } from '../support/databases/postgres-database.ts';
import { spawnGuarded } from '../support/processes/guarded-processes.ts';
import { testEnvironment } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const UNFINISHED = /^The database is the target of a copy that is not finished\. Run the same/;

describe('an interrupted copy', { skip: postgresServerUrl === undefined }, () => {
  const workspace = new CopyWorkspace();
  before(async () => {
    await workspace.run(workspace.sqliteUrl('large'), ['demo'], { secret: '' });
    cpSync(join(workspace.folder, 'large'), join(workspace.folder, 'small'), { recursive: true });
    execInFile(workspace.sqliteFile('large'), insertMessagesSql(20_000)); // a batch of a copy has at most 5,000
    execInFile(workspace.sqliteFile('small'), insertMessagesSql(3000));
  });
  after(() => workspace.end());

  test('resumes where it stopped after Ctrl+C, a lost connection and kill -9', async () => {
    const from = workspace.sqliteUrl('large');
    const target = await workspace.createMigratedPostgres();

    const stopped = await interruptCopy({ from, target }, 1000, ({ child }) => child.kill('SIGINT'));
    assert.deepEqual(stopped, {
      code: 1,
      stderr: '\nStopped. Run the same command again to continue where it stopped.\n',
    });

    const disconnected = await interruptCopy({ from, target }, 5500, () => terminateBlockedSession(target));
    assert.equal(disconnected.code, 1);
    assert.match(
      disconnected.stderr,
      /^The copy stopped at the table messages\. Fix the cause and run the same command/,
    );

    const killed = await interruptCopy({ from, target }, 10_000, ({ child }) => child.kill('SIGKILL'));
    assert.deepEqual(killed, { code: null, stderr: '' });
    const node = await workspace.run(target, ['serve']);
    assert.deepEqual([node.code, UNFINISHED.test(node.stderr)], [1, true], node.stderr);

    const copiedBefore = await readCopiedRows(target);
    const output = await workspace.assertCopies(from, target);
    const skipped = extractCount(output, /Resuming a copy: ([\d,]+) rows have already been copied/);
    const copied = extractCount(output, /Copied ([\d,]+) rows/);
    const dump = dumpFile(workspace.sqliteFile('large'));
    assert.equal(skipped, copiedBefore, 'rows of finished batches are not copied again');
    assert.ok(skipped > 5500 && copied > 0);
    assert.equal(skipped + copied, Object.values(dump).flat().length);
    assert.deepEqual(await dumpPostgres(target), dump);
    const { code, stdout } = await workspace.run(target, ['doctor']);
    assert.equal(code, 0, stdout);
  });

  test('does not resume from another or a changed source, and fails verification if a row was changed', async () => {
    const from = workspace.sqliteUrl('small');
    const target = await workspace.createMigratedPostgres();
    await interruptCopy({ from, target }, 1000, ({ child }) => child.kill('SIGKILL'));
    await workspace.run(workspace.sqliteUrl('other'), ['demo'], { secret: '' });
    await workspace.assertRefuses(
      /unfinished copy of another installation.*--begin-again/,
      workspace.sqliteUrl('other'),
      target,
    );

    await withPostgres(target, (sql) => sql`update operators set pseudo = 'Changed' where id = 7`);
    await workspace.assertRefuses(
      /differs from the source in: operators\. It cannot be used: add --begin-again to restart/,
      from,
      target,
    );
    assert.match((await workspace.run(target, ['doctor'])).stderr, UNFINISHED);

    execInFile(workspace.sqliteFile('small'), `update counters set value = value + 1 where name = 'operator'`);
    await workspace.assertRefuses(/The source has changed since its copy .*--begin-again/, from, target);
    assert.match(await workspace.assertCopies(from, target, '--begin-again'), /The copy is complete/);
    assert.deepEqual(await dumpPostgres(target), dumpFile(workspace.sqliteFile('small')));
  });

  /** Starts or resumes a copy and interrupts it while it writes the batch that exceeds this number of messages. */
  async function interruptCopy(
    urls: CopyUrls,
    messages: number,
    interrupt: (copying: RunningCopy) => unknown,
  ): Promise<ExitResult> {
    const { target } = urls;
    await waitUntilUnused(target);
    return withPostgres(target, async (sql) => {
      await sql.unsafe(createBlockingTrigger(messages));
      await sql`select pg_advisory_lock(${LOCK_KEY})`;
      const copying = startCopy(urls);
      await waitUntil('the copy is blocked', async () => (await findBlockedSessions(sql)).length > 0);
      await interrupt(copying);
      await sql`select pg_advisory_unlock(${LOCK_KEY})`;
      return copying.ended;
    });
  }

  function startCopy({ from, target }: CopyUrls): RunningCopy {
    const child = spawnGuarded(
      process.execPath,
      [MAIN, 'copy', '--from', from, '--to', target, '--ignore-connections'],
      {
        env: testEnvironment(workspace.folder, { SWITCHBOARD_SECRET: '' }),
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const ended = new Promise<ExitResult>((resolve) => {
      child.once('close', (code) => resolve({ code, stderr }));
    });
    return { child, ended };
  }
});

interface CopyUrls {
  readonly from: string;
  readonly target: string;
}

interface ExitResult {
  readonly code: number | null;
  readonly stderr: string;
}

interface RunningCopy {
  readonly child: ReturnType<typeof spawnGuarded>;
  readonly ended: Promise<ExitResult>;
}

/** Key of an advisory lock that the test holds and the copy waits for. */
const LOCK_KEY = 4711;

/** Inserts beyond this number of messages block until the test releases the lock. */
function createBlockingTrigger(messages: number): string {
  return `
    create or replace function hold() returns trigger language plpgsql as $$ begin
      if (select count(*) from messages) > ${messages} then perform pg_advisory_xact_lock_shared(${LOCK_KEY}); end if;
      return null;
    end $$;
    create or replace trigger hold after insert on messages execute function hold()`;
}

function findBlockedSessions(sql: postgres.Sql) {
  return sql`select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK_KEY} and not granted
    and database = (select oid from pg_database where datname = current_database())`;
}

function terminateBlockedSession(address: string): Promise<unknown> {
  return withPostgres(
    address,
    (sql) => sql`select pg_terminate_backend(pid) from (${findBlockedSessions(sql)}) as held`,
  );
}

function readCopiedRows(address: string): Promise<number> {
  return withPostgres(address, async (sql) => {
    const [row] = await sql`
      select sum((value::json ->> 'rows')::int)::int as rows from copy_progress where what like 'table %'`;
    return row?.rows;
  });
}

function extractCount(output: string, pattern: RegExp): number {
  return Number((output.match(pattern)?.[1] ?? assert.fail(output)).replaceAll(',', ''));
}

function insertMessagesSql(count: number): string {
  return `
    insert into conversations (account_id, id, channel, website_id, language, state, created_at, closed_at, closed_by, message_count)
      values (1, 900000, 'chat', 1, 'en', 'closed', 1, 2, 'system', ${count});
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into messages (account_id, conversation_id, sequence, client_id, author_type, text, at)
      select 1, 900000, i, 'client ' || i, 'visitor', 'Message ' || i, i from n`;
}
