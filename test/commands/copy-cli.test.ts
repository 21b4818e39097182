import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { graphqlClient } from '../support/clients/graphql.ts';
import { checkToken, tryLogin } from '../support/clients/oauth.ts';
import { restClient } from '../support/clients/rest.ts';
import { CopyingPlace, dumpFile, dumpPostgres, inFile, inPostgres } from '../support/databases/copying.ts';
import { postgresServer } from '../support/databases/postgres-database.ts';
import { openSite } from '../support/people/site.ts';
import { serveInProcess } from '../support/processes/served.ts';
import { ADMIN, environment, WRITE_KEY } from '../support/processes/switchboard.ts';

const place = new CopyingPlace();
after(() => place.end());

describe('an installation moves from a file to PostgreSQL and back', { skip: postgresServer === undefined }, () => {
  const from = place.sqlite('rich');
  const back = place.sqlite('back');
  let address: string;
  let secret: string;
  let lived: Lived;
  before(async () => {
    lived = await liveALittle(from, join(place.folder, 'rich'));
    secret = readFileSync(join(place.folder, 'rich/secret'), 'utf8').trim();
    address = await place.emptyPostgres();
  });

  test('while the service runs it is refused', async () => {
    const running = await serve(from, '');
    await place.refuse(/The service, or another copy, is running on .*rich\/switchboard\.db\. Stop it/, from, address);
    await running.stop();
    const tables = await inPostgres(address, (sql) => sql`select from pg_tables where schemaname = 'public'`);
    assert.equal(tables.length, 0, 'nothing was begun');
  });

  test('every row of every table arrives, and the source is as it was', async () => {
    const before = dumpFile(place.file('rich'));
    const said = await place.succeed(from, address);
    assert.match(said, /^messages .* same$/m);
    assert.match(said, /The copy is complete/);
    assert.match(said, /SWITCHBOARD_SECRET set to what is in .*rich\/secret/);
    assert.ok(!said.includes(secret), 'the secret itself is never shown');
    assert.deepEqual(dumpFile(place.file('rich')), before);
    assert.deepEqual(await dumpPostgres(address), before);
    for (const table of ['access_tokens', 'api_keys', 'messages', 'webhooks', 'satisfactions', 'conversation_tags'])
      assert.ok((before[table]?.length ?? 0) > 0, `${table} is part of the test`);
    const { code, stdout } = await place.run(address, ['doctor'], { secret });
    assert.equal(code, 0, stdout);
  });

  test('a second copy to the same place is refused; a comparison is not', async () => {
    await place.refuse(/holds an installation already; nothing was changed/, from, address, '--begin-again');
    assert.match(await place.succeed(from, address, '--verify'), /Both hold the same/);
  });

  test('on the copy everybody goes on as if nothing had happened', () => goOn(address, secret, lived));

  test('while somebody is connected, the way back is refused', async () => {
    const { code, stderr } = await inPostgres(address, async (sql) => {
      await sql`select 1`;
      return place.run('', ['copy', '--from', address, '--to', back], { secret: '' });
    });
    assert.equal(code, 1);
    assert.match(stderr, /^(Somebody else is|\d+ others are) connected to .*Stop all nodes first/);
    assert.ok(!existsSync(place.file('back')));
  });

  test('and back, with what has happened since', async () => {
    const said = await place.succeed(address, back);
    assert.match(said, /same SWITCHBOARD_SECRET as until now, or put that into .*back\/secret/);
    assert.ok(!existsSync(join(place.folder, 'back/secret')), 'no secret is written');
    assert.deepEqual(dumpFile(place.file('back')), await dumpPostgres(address));
    const { code, stdout } = await place.run(back, ['doctor'], { secret });
    assert.equal(code, 0, stdout);
  });

  test('a changed value is found, and its table named', async () => {
    const where = `where conversation_id = ${lived.conversation} and sequence = 1`;
    inFile(place.file('back'), `update messages set text = text || '.' ${where}`);
    const said = await place.refuse(/^The copy differs from the source in: messages\.$/m, address, back, '--verify');
    assert.match(said, /^messages .* DIFFERENT$/m);
    assert.match(said, /^tags .* same$/m);
    inFile(place.file('back'), `update messages set text = substr(text, 1, length(text) - 1) ${where}`);
    await place.succeed(address, back, '--verify');
  });

  test('a secret that is not the one of the installation is noticed, where webhooks can tell', async () => {
    const args = ['copy', '--from', back, '--to', place.sqlite('warned')];
    const wrong = await place.run(back, args, { secret: 'another secret than that of the installation' });
    assert.equal(wrong.code, 0);
    assert.match(wrong.stdout, /WARNING: SWITCHBOARD_SECRET, as it is set here, is not the secret of this/);
    const right = await place.run(back, [...args.slice(0, -1), place.sqlite('not-warned')], { secret });
    assert.doesNotMatch(right.stdout, /WARNING/);
  });

  test('there, too, everybody goes on', () => goOn(back, secret, lived));
});

describe('what cannot be copied is refused in words', () => {
  const small = place.sqlite('small');
  const nowhere = place.sqlite('nowhere');
  const others = ['newer', 'older', 'empty', 'foreign', 'begun'] as const;
  before(async () => {
    await place.run(small, ['demo'], { secret: '' });
    for (const name of others) cpSync(join(place.folder, 'small'), join(place.folder, name), { recursive: true });
    inFile(place.file('newer'), `insert into migrations (name, applied_at) values ('9999-later', 0)`);
    inFile(place.file('older'), `delete from migrations where name like '0003%'`);
    inFile(place.file('empty'), 'delete from accounts');
    inFile(place.file('foreign'), 'drop table migrations');
    inFile(place.file('begun'), `insert into migrations (name, applied_at) values ('copy-not-finished', 0)`);
    symlinkSync(place.file('small'), join(place.folder, 'link.db'));
    writeFileSync(join(place.folder, 'text.db'), 'this is no database at all, whatever its name says\n'.repeat(20));
  });
  after(() => assert.ok(!existsSync(place.file('nowhere'))));

  const refused = (reason: RegExp, from: string, to: string) => place.refuse(reason, from, to);

  test('addresses', async () => {
    await refused(/--from must be sqlite:<path> or postgres:/, 'mysql://x', small);
    await refused(/--to must be sqlite:<path> or postgres:/, small, 'data/switchboard.db');
    await refused(/name the same database/, small, small);
    await refused(/name the same database/, small, `sqlite:${join(place.folder, 'link.db')}`);
    await refused(/There is no database at/, nowhere, small);
    await refused(/text\.db cannot be .*: file is not a database/, `sqlite:${join(place.folder, 'text.db')}`, nowhere);
    const away = /postgres:\/\/127\.0\.0\.1:1\/x cannot be used: .*ECONNREFUSED/;
    await refused(away, 'postgres://me:hidden@127.0.0.1:1/x', nowhere);
    await refused(away, small, 'postgres://me:hidden@127.0.0.1:1/x');
    const { stdout } = await place.run(small, ['copy', '--help']);
    for (const option of ['--from', '--to', '--verify', '--begin-again']) assert.ok(stdout.includes(option), stdout);
  });

  test('databases of other versions, of nobody, and of other programs', async () => {
    const reasons = {
      newer: /written by a newer version of Switchboard \(it has 9999-later\)/,
      older: /written by an older version of Switchboard.*Start this version on it once/,
      empty: /has no account: there is nothing to copy/,
      foreign: /is no installation of Switchboard/,
      begun: /is itself a copy that is not finished/,
    };
    for (const name of others) await refused(reasons[name], place.sqlite(name), nowhere);
    await refused(/has tables of another program: accounts, /, small, place.sqlite('foreign'));
  });

  test('from one file to another it goes too', async () => {
    const said = await place.succeed(small, place.sqlite('twin'));
    assert.match(said, /Copy .*small\/secret to .*twin\/secret before the first start/);
    assert.deepEqual(dumpFile(place.file('twin')), dumpFile(place.file('small')));
  });
});

const serve = (url: string, secret: string) =>
  serveInProcess(environment(place.folder, { DATABASE_URL: url, SWITCHBOARD_SECRET: secret }));

interface Lived {
  readonly ssoKey: string;
  readonly token: string;
  readonly visitorToken: string;
  readonly conversation: string;
}

/** Demo data, and on top of them what people do through the public interfaces; ends with the service stopped. */
async function liveALittle(url: string, folder: string): Promise<Lived> {
  await place.run(url, ['demo'], { secret: '' });
  const site = await openSite({ folder, env: { DATABASE_URL: url, SWITCHBOARD_SECRET: '' } });
  const hook = ['webhook', 'add', '--name', 'CRM', '--url', 'https://hooks.example.com/x', '--types', 'tag.*'];
  assert.equal((await site.switchboard.command(hook)).code, 0);
  const operator = await site.operator();
  const visitor = await site.visitor();
  const closed = await visitor.start();
  await operator.accept(closed.id);
  await visitor.send(closed.id, 'Bonjour, ça va? 😀');
  await operator.send(closed.id, 'Très bien.');
  await operator.run(`mutation{conversationClose(input:{id:${closed.id}}){userErrors{message}}}`);
  await visitor.run(`mutation{satisfactionAnswer(
    input:{conversationId:${closed.id},welcome:5,resolution:4,delay:3,comment:"Merci"}){userErrors{message}}}`);
  await site.admin.run(`mutation{conversationTag(input:{id:${closed.id},tagIds:[1,2]}){userErrors{message}}}`);
  const running = await visitor.start();
  await operator.accept(running.id);
  await visitor.send(running.id, 'One more thing');
  const { body } = await site.rest.get('/operator/1');
  await site.switchboard.stop();
  return {
    ...{ ssoKey: body.data.sso_key, token: operator.token },
    ...{ visitorToken: visitor.token, conversation: running.id },
  };
}

/** Passwords, tokens, keys and conversations of before are those of now. */
async function goOn(url: string, secret: string, lived: Lived): Promise<void> {
  const node = await serve(url, secret);
  try {
    assert.equal((await tryLogin(node.url, ADMIN.email, ADMIN.password)).status, 200);
    assert.equal((await tryLogin(node.url, ADMIN.email, 'another password')).status, 400);
    assert.equal((await checkToken(node.url, lived.token)).status, 200);
    assert.equal((await restClient(node.url, WRITE_KEY).get('/operator/1')).body.data.sso_key, lived.ssoKey);
    const read = `{conversation(id:${lived.conversation}){state messageCount}}`;
    const { data } = await graphqlClient(node.url, lived.token).run(read);
    assert.equal(data.conversation.state, 'ACTIVE');
    assert.equal(await sendAsVisitor(node.url, lived), data.conversation.messageCount + 1);
  } finally {
    await node.stop();
  }
}

async function sendAsVisitor(url: string, { visitorToken, conversation }: Lived): Promise<number> {
  const query = `mutation{messageSend(input:{conversationId:${conversation},text:"Still here"}){message{sequence}}}`;
  const answer = await fetch(`${url}/visitor/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${visitorToken}` },
    body: JSON.stringify({ query }),
  });
  const { data } = (await answer.json()) as { data: { messageSend: { message: { sequence: number } } } };
  return data.messageSend.message.sequence;
}
