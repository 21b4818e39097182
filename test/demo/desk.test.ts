import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transact } from '../../src/core/kernel/caller.ts';
import { loadOperators } from '../../src/core/operators/operator-store.ts';
import { loadDemoData } from '../../src/demo/demo.ts';
import { prepareDesk } from '../../src/demo/desk/desk-operator.ts';
import { findShop } from '../../src/demo/shop/shop-data.ts';
import { databases, type TestInstallation } from '../support/databases/databases.ts';

/** What the desk shows, as numbers. */
async function countDeskData({ database: { read }, accountId }: TestInstallation, operatorId: number) {
  const rows = await read
    .selectFrom('conversations')
    .leftJoin('notes', (join) =>
      join
        .onRef('notes.accountId', '=', 'conversations.accountId')
        .onRef('notes.conversationId', '=', 'conversations.id'),
    )
    .innerJoin('visitorContext', (join) =>
      join
        .onRef('visitorContext.accountId', '=', 'conversations.accountId')
        .onRef('visitorContext.visitorId', '=', 'conversations.visitorId'),
    )
    .select(['conversations.operatorId', 'conversations.visitorId', 'conversations.closedAt', 'notes.authorId'])
    .where('conversations.accountId', '=', accountId)
    .orderBy('conversations.id')
    .execute();
  const left = await read.selectFrom('messagesLeft').select('doneAt').where('accountId', '=', accountId).execute();
  const own = rows.filter((row) => row.operatorId === operatorId);
  return {
    conversations: rows.length,
    own: own.length,
    noted: own.filter(({ authorId }) => authorId === operatorId).length,
    returning: rows.length - new Set(rows.map(({ visitorId }) => visitorId)).size,
    areInOrder: rows.every(({ closedAt }, index) => index === 0 || (closedAt ?? 0) > (rows[index - 1]?.closedAt ?? 0)),
    open: left.filter(({ doneAt }) => doneAt === null).length,
    done: left.filter(({ doneAt }) => doneAt !== null).length,
  };
}

for (const { name, open } of databases)
  test(`${name}: the desk of the demo gets its operator and its data once, and a new password at every start`, async () => {
    const installation = await open();
    const { access, caller, accountId, database, operators } = installation;
    const transact: Transact = (work) => database.transaction(work, accountId);
    await loadDemoData(installation);
    const { websiteId } = await findShop(installation, caller);
    const prepare = () => prepareDesk(installation, caller, { websiteId, shopUrl: 'http://localhost:8081' });
    const find = async () => {
      const row = await database.read
        .selectFrom('operators')
        .select('id')
        .where('accountId', '=', accountId)
        .where('email', '=', 'robin@halden.example.com')
        .executeTakeFirstOrThrow();
      const [operator] = await loadOperators(database.read, accountId, [row.id]);
      return operator ?? assert.fail();
    };

    const first = await prepare();
    const { id, groupId, websiteList, languageList, chatPriority } = await find();
    assert.deepEqual([websiteList, languageList, chatPriority], [[websiteId], ['en', 'de', 'es', 'fr'], 10]);
    const expected = { conversations: 4, own: 3, noted: 2, returning: 1, areInOrder: true, open: 3, done: 1 };
    assert.deepEqual(await countDeskData(installation, id), expected);
    const settings = await access.accounts.loadDeskSettings(accountId);
    assert.equal(settings.operatorsMayTake, true);
    assert.ok(settings.pauseReasons.length > 1);

    const replies = await installation.administration.cannedReplies.list({
      ...caller,
      ...{ accessLevel: 'operator', operatorId: id, managedGroups: new Set<number>() },
    });
    assert.deepEqual(new Set(replies.map(({ owner }) => owner.scope)), new Set(['account', 'group', 'own']));
    assert.ok(new Set(replies.map(({ language }) => language)).size > 2, 'several languages');

    const tags = await database.read
      .selectFrom('tags')
      .select('websiteList')
      .where('accountId', '=', accountId)
      .execute();
    assert.ok(tags.length >= 4 && tags.every((tag) => JSON.parse(tag.websiteList).includes(websiteId)));

    const second = await prepare();
    assert.equal(second.email, first.email);
    assert.notEqual(second.password, first.password);
    assert.deepEqual(await countDeskData(installation, id), expected);

    // Who deletes the operator gets another one, without the same customers again.
    await operators.delete(transact, caller, id);
    await prepare();
    const other = await find();
    assert.notEqual(other.id, id);
    assert.equal(other.groupId, groupId);
    assert.equal((await countDeskData(installation, id)).conversations, expected.conversations);
    await installation.end();
  });
