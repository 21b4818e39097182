import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { graphqlClient } from '../support/clients/graphql.ts';
import { checkToken, tryLogin } from '../support/clients/oauth.ts';
import { restClient } from '../support/clients/rest.ts';
import {
  CopyWorkspace,
  dumpFile,
  dumpPostgres,
  execInFile,
  withPostgres,
} from '../support/databases/copy-workspace.ts';
import { postgresServerUrl } from '../support/databases/postgres-database.ts';
import { openSite } from '../support/fixtures/site.ts';
import { serveInProcess } from '../support/processes/in-process-service.ts';
import { ADMIN, testEnvironment, WRITE_KEY } from '../support/processes/switchboard.ts';

/** A copy continues a fill where its source was. */
const UNFINISHED_FILL = `insert into migration_work (name, migration, kind, pass, after_key, changed_rows, not_before)
  values ('some-fill', '9999-later', 'fill', 1, '[1,17]', 17, 0)`;

const workspace = new CopyWorkspace();
after(() => workspace.end());

describe('copying an installation from a file to PostgreSQL and back', {
  skip: postgresServerUrl === undefined,
}, () => {
  const from = workspace.sqliteUrl('rich');
  const copiedBack = workspace.sqliteUrl('back');
  let postgresUrl: string;
  let secret: string;
  let activity: Activity;
  before(async () => {
    activity = await createActivity(from, join(workspace.folder, 'rich'));
    execInFile(workspace.sqliteFile('rich'), UNFINISHED_FILL);
    secret = readFileSync(join(workspace.folder, 'rich/secret'), 'utf8').trim();
    postgresUrl = await workspace.createEmptyPostgres();
  });

  test('is refused while the service runs', async () => {
    const running = await serve(from, '');
    await workspace.assertRefuses(
      /The service, or another copy, is running on .*rich\/switchboard\.db\. Stop it/,
      from,
      postgresUrl,
    );
    await running.stop();
    const tables = await withPostgres(postgresUrl, (sql) => sql`select from pg_tables where schemaname = 'public'`);
    assert.equal(tables.length, 0, 'nothing was created');
  });

  test('copies every row of every table and leaves the source unchanged', async () => {
    const before = dumpFile(workspace.sqliteFile('rich'));
    const output = await workspace.assertCopies(from, postgresUrl);
    assert.match(output, /^messages .* same$/m);
    assert.match(output, /The copy is complete/);
    assert.match(output, /SWITCHBOARD_SECRET set to the contents of .*rich\/secret/);
    assert.ok(!output.includes(secret), 'the secret itself is never shown');
    assert.deepEqual(dumpFile(workspace.sqliteFile('rich')), before);
    assert.deepEqual(await dumpPostgres(postgresUrl), before);
    for (const table of [
      'access_tokens',
      'api_keys',
      'messages',
      'webhooks',
      'satisfactions',
      'conversation_tags',
      'migration_work',
    ])
      assert.ok((before[table]?.length ?? 0) > 0, `${table} has rows`);
    const { code, stdout } = await workspace.run(postgresUrl, ['doctor'], { secret });
    assert.equal(code, 0, stdout);
  });

  test('a second copy to the same target is refused; --verify is allowed', async () => {
    await workspace.assertRefuses(
      /already contains an installation; nothing was changed/,
      from,
      postgresUrl,
      '--begin-again',
    );
    assert.match(await workspace.assertCopies(from, postgresUrl, '--verify'), /Both databases have the same contents/);
  });

  test('the service continues on the copy', () => assertContinues(postgresUrl, secret, activity));

  test('copying back is refused while a client is connected', async () => {
    const { code, stderr } = await withPostgres(postgresUrl, async (sql) => {
      await sql`select 1`;
      return workspace.run('', ['copy', '--from', postgresUrl, '--to', copiedBack], { secret: '' });
    });
    assert.equal(code, 1);
    assert.match(stderr, /^(Another client is|\d+ other clients are) connected to .*Stop all nodes first/);
    assert.ok(!existsSync(workspace.sqliteFile('back')));
  });

  test('copies back, including later changes', async () => {
    const output = await workspace.assertCopies(postgresUrl, copiedBack);
    assert.match(output, /same SWITCHBOARD_SECRET as before, or write it to .*back\/secret/);
    assert.ok(!existsSync(join(workspace.folder, 'back/secret')), 'no secret is written');
    assert.deepEqual(dumpFile(workspace.sqliteFile('back')), await dumpPostgres(postgresUrl));
    const { code, stdout } = await workspace.run(copiedBack, ['doctor'], { secret });
    assert.equal(code, 0, stdout);
  });

  test('--verify finds a changed value and names its table', async () => {
    const where = `where conversation_id = ${activity.conversation} and sequence = 1`;
    execInFile(workspace.sqliteFile('back'), `update messages set text = text || '.' ${where}`);
    const output = await workspace.assertRefuses(
      /^The copy differs from the source in: messages\.$/m,
      postgresUrl,
      copiedBack,
      '--verify',
    );
    assert.match(output, /^messages .* DIFFERENT$/m);
    assert.match(output, /^tags .* same$/m);
    execInFile(workspace.sqliteFile('back'), `update messages set text = substr(text, 1, length(text) - 1) ${where}`);
    await workspace.assertCopies(postgresUrl, copiedBack, '--verify');
  });

  test('warns about a wrong installation secret if there are webhooks', async () => {
    const args = ['copy', '--from', copiedBack, '--to', workspace.sqliteUrl('warned')];
    const wrong = await workspace.run(copiedBack, args, { secret: 'not the secret of this installation' });
    assert.equal(wrong.code, 0);
    assert.match(wrong.stdout, /WARNING: the current SWITCHBOARD_SECRET is not the secret of this/);
    const right = await workspace.run(copiedBack, [...args.slice(0, -1), workspace.sqliteUrl('not-warned')], {
      secret,
    });
    assert.doesNotMatch(right.stdout, /WARNING/);
  });

  test('the service continues on the second copy', () => assertContinues(copiedBack, secret, activity));
});

describe('a copy is refused with a clear message', () => {
  const small = workspace.sqliteUrl('small');
  const nowhere = workspace.sqliteUrl('nowhere');
  const others = ['newer', 'older', 'empty', 'foreign', 'begun'] as const;
  before(async () => {
    await workspace.run(small, ['demo'], { secret: '' });
    for (const name of others)
      cpSync(join(workspace.folder, 'small'), join(workspace.folder, name), { recursive: true });
    execInFile(workspace.sqliteFile('newer'), `insert into migrations (name, applied_at) values ('9999-later', 0)`);
    execInFile(workspace.sqliteFile('older'), `delete from migrations where name like '0003%'`);
    execInFile(workspace.sqliteFile('empty'), 'delete from accounts');
    execInFile(workspace.sqliteFile('foreign'), 'drop table migrations');
    execInFile(
      workspace.sqliteFile('begun'),
      `insert into migrations (name, applied_at) values ('copy-not-finished', 0)`,
    );
    symlinkSync(workspace.sqliteFile('small'), join(workspace.folder, 'link.db'));
    writeFileSync(join(workspace.folder, 'text.db'), 'this is not a database\n'.repeat(20));
  });
  after(() => assert.ok(!existsSync(workspace.sqliteFile('nowhere'))));

  const assertRefused = (reason: RegExp, from: string, to: string) => workspace.assertRefuses(reason, from, to);

  test('for invalid addresses', async () => {
    await assertRefused(/--from must be sqlite:<path> or postgres:/, 'mysql://x', small);
    await assertRefused(/--to must be sqlite:<path> or postgres:/, small, 'data/switchboard.db');
    await assertRefused(/name the same database/, small, small);
    await assertRefused(/name the same database/, small, `sqlite:${join(workspace.folder, 'link.db')}`);
    await assertRefused(/There is no database at/, nowhere, small);
    await assertRefused(
      /text\.db cannot be .*: file is not a database/,
      `sqlite:${join(workspace.folder, 'text.db')}`,
      nowhere,
    );
    const unreachable = /postgres:\/\/127\.0\.0\.1:1\/x cannot be used: .*ECONNREFUSED/;
    await assertRefused(unreachable, 'postgres://me:hidden@127.0.0.1:1/x', nowhere);
    await assertRefused(unreachable, small, 'postgres://me:hidden@127.0.0.1:1/x');
    const { stdout } = await workspace.run(small, ['copy', '--help']);
    for (const option of ['--from', '--to', '--verify', '--begin-again']) assert.ok(stdout.includes(option), stdout);
  });

  test('for other versions, empty databases and databases of other programs', async () => {
    const reasons = {
      newer: /written by a newer version of Switchboard \(it has 9999-later\)/,
      older: /written by an older version of Switchboard.*Start this version on it once/,
      empty: /has no account: there is nothing to copy/,
      foreign: /is not a Switchboard installation/,
      begun: /is itself an unfinished copy/,
    };
    for (const name of others) await assertRefused(reasons[name], workspace.sqliteUrl(name), nowhere);
    await assertRefused(/has tables of another program: accounts, /, small, workspace.sqliteUrl('foreign'));
  });

  test('but works from one file to another', async () => {
    const output = await workspace.assertCopies(small, workspace.sqliteUrl('twin'));
    assert.match(output, /Copy .*small\/secret to .*twin\/secret before the first start/);
    assert.deepEqual(dumpFile(workspace.sqliteFile('twin')), dumpFile(workspace.sqliteFile('small')));
  });
});

const serve = (url: string, secret: string) =>
  serveInProcess(testEnvironment(workspace.folder, { DATABASE_URL: url, SWITCHBOARD_SECRET: secret }));

interface Activity {
  readonly ssoKey: string;
  readonly token: string;
  readonly visitorToken: string;
  readonly conversation: string;
}

/** Adds demo data and activity through the public interfaces, then stops the service. */
async function createActivity(url: string, folder: string): Promise<Activity> {
  await workspace.run(url, ['demo'], { secret: '' });
  const site = await openSite({ folder, env: { DATABASE_URL: url, SWITCHBOARD_SECRET: '' } });
  const hook = ['webhook', 'add', '--name', 'CRM', '--url', 'https://hooks.example.com/x', '--types', 'tag.*'];
  assert.equal((await site.switchboard.runCommand(hook)).code, 0);
  const operator = await site.createOperator();
  const visitor = await site.createVisitor();
  const closed = await visitor.startConversation();
  await operator.acceptOffer(closed.id);
  await visitor.sendMessage(closed.id, 'Bonjour, ça va? 😀');
  await operator.sendMessage(closed.id, 'Très bien.');
  await operator.run(`mutation{conversationClose(input:{id:${closed.id}}){userErrors{message}}}`);
  await visitor.run(`mutation{satisfactionAnswer(
    input:{conversationId:${closed.id},welcome:5,resolution:4,delay:3,comment:"Merci"}){userErrors{message}}}`);
  await site.admin.run(`mutation{conversationTag(input:{id:${closed.id},tagIds:[1,2]}){userErrors{message}}}`);
  const running = await visitor.startConversation();
  await operator.acceptOffer(running.id);
  await visitor.sendMessage(running.id, 'One more thing');
  const { body } = await site.rest.get('/operator/1');
  await site.switchboard.stop();
  return {
    ...{ ssoKey: body.data.sso_key, token: operator.token },
    ...{ visitorToken: visitor.token, conversation: running.id },
  };
}

/** Passwords, tokens, keys and conversations still work. */
async function assertContinues(url: string, secret: string, activity: Activity): Promise<void> {
  const node = await serve(url, secret);
  try {
    assert.equal((await tryLogin(node.url, ADMIN.email, ADMIN.password)).status, 200);
    assert.equal((await tryLogin(node.url, ADMIN.email, 'another password')).status, 400);
    assert.equal((await checkToken(node.url, activity.token)).status, 200);
    assert.equal((await restClient(node.url, WRITE_KEY).get('/operator/1')).body.data.sso_key, activity.ssoKey);
    const read = `{conversation(id:${activity.conversation}){state messageCount}}`;
    const { data } = await graphqlClient(node.url, activity.token).run(read);
    assert.equal(data.conversation.state, 'ACTIVE');
    assert.equal(await sendAsVisitor(node.url, activity), data.conversation.messageCount + 1);
  } finally {
    await node.stop();
  }
}

async function sendAsVisitor(url: string, { visitorToken, conversation }: Activity): Promise<number> {
  const query = `mutation{messageSend(input:{conversationId:${conversation},text:"Still here"}){message{sequence}}}`;
  const response = await fetch(`${url}/visitor/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${visitorToken}` },
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as { data: { messageSend: { message: { sequence: number } } } };
  return data.messageSend.message.sequence;
}
