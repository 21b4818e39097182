import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, suite, test } from 'node:test';
import {
  CANNED_REPLY_VARIABLES,
  cannedReplyContent,
  MAX_REPLIES_OF_GROUPS,
  MAX_REPLIES_PER_OWNER,
} from '../../../src/core/administration/canned-replies/canned-reply.ts';
import { parseImportRows } from '../../../src/core/administration/canned-replies/canned-reply-import.ts';
import type { OwnerInput } from '../../../src/core/administration/canned-replies/canned-reply-owners.ts';
import type { Caller } from '../../../src/core/kernel/caller.ts';
import { type DomainError, toDomainError } from '../../../src/core/kernel/errors.ts';
import { validate } from '../../../src/core/kernel/validate.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

const OWN: OwnerInput = { scope: 'own' };
const ACCOUNT: OwnerInput = { scope: 'account' };
const ofGroup = (groupId: number): OwnerInput => ({ scope: 'group', groupId });
const content = (shortcut: string, text = 'Good day', language: string | null = null) => ({ shortcut, text, language });

function findProblems(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    return (
      (toDomainError(error) as DomainError).details.problems?.map(({ path, rule }) => `${path.join('.')} ${rule}`) ?? []
    );
  }
  return [];
}

test('a shortcut has 1 to 40 letters, digits and - _ . of any script', () => {
  const check = (shortcut: unknown) => findProblems(() => validate(cannedReplyContent, { shortcut, text: 'x' }));
  for (const shortcut of ['a', 'x'.repeat(40), 'retour-7.b_c', 'élan', 'привет', '你好', 'नमस्ते', '٣', '𝒜'.repeat(40)])
    assert.deepEqual(check(shortcut), [], shortcut);
  for (const shortcut of ['', 'x'.repeat(41), 'two words', '/hello', 'a\n', 'a,b', '{{a}}', '😀', null, 7])
    assert.match(check(shortcut)[0] ?? '', /^shortcut must be 1 to 40 letters, digits/, String(shortcut));
  const composed = validate(cannedReplyContent, { shortcut: 'e\u0301lan', text: 'x' }).shortcut;
  assert.equal(composed, '\u00e9lan');
});

test('a text has the length of a message, and no variables but the known ones', () => {
  const check = (text: unknown) => findProblems(() => validate(cannedReplyContent, { shortcut: 'a', text }));
  const all = `Dear ${CANNED_REPLY_VARIABLES.join(' ')}`;
  for (const text of ['x', 'x'.repeat(10_000), all, 'a { b } {c} {{ not closed', '}} {{'])
    assert.deepEqual(check(text), []);
  assert.equal(validate(cannedReplyContent, { shortcut: 'a', text: all }).text, all);
  for (const text of ['', '  \n', 'x'.repeat(10_001), 'a\0', null]) assert.equal(check(text).length, 1, String(text));
  for (const name of ['{{visitor.email}}', '{{}}', '{{ visitor.name }}', '{{Visitor.name}}']) {
    const [problem = ''] = check(`${CANNED_REPLY_VARIABLES[0]} ${name}`);
    for (const variable of CANNED_REPLY_VARIABLES) assert.ok(problem.includes(variable), problem);
  }
});

test('the documentation lists the variables and the limits', () => {
  const page = readFileSync(new URL('../../../docs/desk-api.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^ *\| `(\{\{.*\}\})` \|/gm)].map(([, name]) => name);
  assert.deepEqual(listed, [...CANNED_REPLY_VARIABLES]);
  assert.ok(
    page.includes(
      `${MAX_REPLIES_PER_OWNER} for each operator, each group and the account; ${MAX_REPLIES_OF_GROUPS} of`,
    ),
  );
});

test('a language is a code of ISO 639-1, or null for every language', () => {
  const parse = (language: unknown) => validate(cannedReplyContent, { shortcut: 'a', text: 'x', language }).language;
  assert.deepEqual([parse('fr'), parse(null), parse(undefined)], ['fr', null, null]);
  for (const language of ['FR', 'xx', 'fra', '']) assert.throws(() => parse(language));
});

test('an import names every problem with its row', () => {
  const rows = [content('Hello', 'x', 'en'), content('a b'), content('hello', 'y', 'en'), content('hello', '{{x}}')];
  const problems = findProblems(() => parseImportRows(rows));
  assert.match(problems[0] ?? '', /^replies\.1\.shortcut must be .* \(row 2\)$/);
  assert.match(problems[1] ?? '', /^replies\.2\.shortcut must not be repeated: row 1 has the same .* \(row 3\)$/);
  assert.match(problems[2] ?? '', /^replies\.3\.text must have no other variables .* \(row 4\)$/);
  assert.equal(problems.length, 3);
  const many = Array.from({ length: MAX_REPLIES_PER_OWNER + 1 }, (_, index) => content(`r${index}`));
  assert.deepEqual(
    findProblems(() => parseImportRows(many)),
    ['replies must have at most 500 items'],
  );
  assert.equal(parseImportRows(many.slice(1)).length, MAX_REPLIES_PER_OWNER);
});

for (const { name, open } of databases) {
  suite(`canned replies (${name})`, () => {
    let fixture: EngineFixture;
    beforeEach(async () => {
      fixture = await EngineFixture.create(open);
    });
    afterEach(() => fixture.end());

    const replies = () => fixture.installation.cannedReplies;
    const create = (caller: Caller, owner: OwnerInput, ...values: Parameters<typeof content>) =>
      replies().create(fixture.transact, caller, owner, content(...values));
    const importRows = (caller: Caller, owner: OwnerInput, rows: readonly unknown[]) =>
      replies().importReplies(fixture.transact, caller, owner, rows);
    const list = async (caller: Caller) => (await replies().list(caller)).map(({ shortcut }) => shortcut);
    const kindOf = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error) => toDomainError(error)?.kind,
      );
    const listEvents = async () => {
      const rows = await fixture.installation.database.read
        .selectFrom('events')
        .select(['type', 'subjectId', 'changes'])
        .where('subjectType', '=', 'canned_reply')
        .orderBy('position')
        .execute();
      return rows.map(({ type, subjectId, changes }) => [type, subjectId, JSON.parse(changes)]);
    };

    test('operators see their own, those of their group and the groups above it, and those of the account', async () => {
      const top = await fixture.createGroup();
      const middle = await fixture.createGroup(top);
      const below = await fixture.createGroup(middle);
      const admin = fixture.callerFor(await fixture.createOperator(), 'admin');
      const operator = fixture.callerFor(await fixture.createOperator({ groupId: middle }));
      const other = fixture.callerFor(await fixture.createOperator());
      await create(admin, ACCOUNT, 'account');
      for (const [groupId, shortcut] of [
        [top, 'top'],
        [middle, 'middle'],
        [below, 'below'],
      ] as const)
        await create(admin, ofGroup(groupId), shortcut);
      await create(operator, OWN, 'Mine');
      await create(admin, OWN, 'admins');
      assert.deepEqual(await list(operator), ['account', 'middle', 'Mine', 'top']);
      assert.deepEqual(await list(other), ['account']);
      assert.deepEqual(await list(admin), ['account', 'admins', 'below', 'middle', 'top']);
      assert.deepEqual(await list(fixture.installation.caller), ['account', 'below', 'middle', 'top']);
      assert.deepEqual(await list({ ...operator, accessLevel: 'expert' }), ['Mine']);
      const managedGroups = new Set([middle, below]);
      assert.deepEqual(await list({ ...operator, accessLevel: 'manager', managedGroups }), [
        'account',
        'below',
        'middle',
        'Mine',
        'top',
      ]);
      assert.deepEqual(await list({ ...other, accountId: 2 }), []);
      await fixture.installation.operators.update(
        fixture.transact,
        fixture.installation.caller,
        operator.operatorId ?? 0,
        { groupId: below },
      );
      assert.deepEqual(await list(operator), ['account', 'below', 'middle', 'Mine', 'top']);
    });

    test('a shortcut is unique for its owner and language, regardless of case', async () => {
      const [first, second] = [await fixture.createOperator(), await fixture.createOperator()].map((id) =>
        fixture.callerFor(id),
      ) as [Caller, Caller];
      const hello = await create(first, OWN, 'Straße', 'x', 'de');
      assert.equal(await kindOf(create(first, OWN, 'STRASSE', 'y', 'de')), 'conflict');
      for (const language of ['en', null]) await create(first, OWN, 'strasse', 'y', language);
      await create(second, OWN, 'strasse', 'y', 'de');
      const update = (id: number, input: object) => replies().update(fixture.transact, first, id, input);
      const free = await create(first, OWN, 'free', 'x', 'de');
      assert.equal(await kindOf(update(free.id, { shortcut: 'strasse' })), 'conflict');
      assert.equal((await update(hello.id, { shortcut: 'STRASSE' })).shortcut, 'STRASSE');
      assert.equal(await kindOf(update(hello.id, { language: null })), 'conflict');
    });

    test('an update changes what it names, moves a reply, and announces no texts', async () => {
      const groupId = await fixture.createGroup();
      const admin = fixture.callerFor(await fixture.createOperator(), 'admin');
      const { id } = await create(admin, OWN, 'hi', 'Secret text', 'en');
      const update = (input: object) => replies().update(fixture.transact, admin, id, input);
      fixture.installation.clock.advance(5000);
      const changed = await update({ text: 'Another secret text' });
      const expected = {
        id,
        owner: { scope: 'own', id: admin.operatorId },
        shortcut: 'hi',
        text: 'Another secret text',
        language: 'en',
      };
      assert.deepEqual(changed, { ...expected, updatedAt: fixture.installation.clock.now });
      fixture.installation.clock.advance(5000);
      assert.deepEqual(await update({ shortcut: 'hi' }), changed);
      assert.deepEqual((await update({ ownerInput: ofGroup(groupId), language: null })).owner, {
        scope: 'group',
        id: groupId,
      });
      assert.deepEqual(await replies().list(admin), [
        {
          ...expected,
          owner: { scope: 'group', id: groupId },
          language: null,
          updatedAt: fixture.installation.clock.now,
        },
      ]);
      await replies().delete(fixture.transact, admin, id);
      const [own, group] = [
        { scope: 'own', operatorId: admin.operatorId, groupId: null },
        { scope: 'group', operatorId: null, groupId },
      ];
      assert.deepEqual(await listEvents(), [
        [
          'canned_reply.created',
          id,
          {
            fields: ['scope', 'operatorId', 'groupId', 'shortcut', 'text', 'language'],
            values: { ...own, language: 'en' },
          },
        ],
        ['canned_reply.updated', id, { fields: ['text'], values: own }],
        [
          'canned_reply.updated',
          id,
          { fields: ['scope', 'operatorId', 'groupId', 'language'], values: { ...group, language: null } },
        ],
        ['canned_reply.deleted', id, { fields: [], values: group }],
      ]);
      assert.equal(await kindOf(update({ text: 'x' })), 'unknown');
    });

    test('an import creates and updates, all or none', async () => {
      const operator = fixture.callerFor(await fixture.createOperator());
      const { id } = await create(operator, OWN, 'Hello', 'old', 'en');
      const rows = [content('HELLO', 'new', 'en'), content('hello', 'any'), content('bye', 'Bye', 'en')];
      assert.deepEqual(await importRows(operator, OWN, rows), { created: 2, updated: 1 });
      assert.deepEqual(await importRows(operator, OWN, rows), { created: 0, updated: 0 });
      const [first] = (await replies().list(operator)).filter((reply) => reply.id === id);
      assert.deepEqual([first?.shortcut, first?.text], ['HELLO', 'new']);
      assert.equal(await kindOf(importRows(operator, OWN, [content('good'), content('not good')])), 'invalid');
      assert.deepEqual(await list(operator), ['bye', 'hello', 'HELLO']);
      assert.equal((await listEvents()).length, 4);
    });

    test('an owner has a limited number of replies, and so have all groups together', async () => {
      const operator = fixture.callerFor(await fixture.createOperator());
      const admin = fixture.callerFor(await fixture.createOperator(), 'admin');
      const rows = Array.from({ length: MAX_REPLIES_PER_OWNER }, (_, index) => content(`r${index}`));
      assert.deepEqual(await importRows(operator, OWN, rows), { created: MAX_REPLIES_PER_OWNER, updated: 0 });
      assert.equal(await kindOf(create(operator, OWN, 'more')), 'limit');
      assert.equal(await kindOf(importRows(operator, OWN, [content('more')])), 'limit');
      const changed = rows.map((row) => ({ ...row, text: 'changed' }));
      assert.deepEqual(await importRows(operator, OWN, changed), { created: 0, updated: MAX_REPLIES_PER_OWNER });
      const [last] = await replies().list(operator);
      const moved = await create(admin, OWN, 'moved');
      await replies().delete(fixture.transact, operator, last?.id ?? 0);
      await create(operator, OWN, 'more');

      // Direct: so many imports take long.
      const { accountId, installation } = fixture;
      await fixture.transact(async ({ db, now }) => {
        for (let ownerId = 1000; ownerId < 1000 + MAX_REPLIES_OF_GROUPS / MAX_REPLIES_PER_OWNER; ownerId += 1) {
          const stored = rows.map(({ shortcut, text }, index) => ({
            ...{ accountId, id: ownerId * 1000 + index, scope: 'group', ownerId, shortcut, shortcutFolded: shortcut },
            ...{ text, language: '', updatedAt: now },
          }));
          await db.insertInto('cannedReplies').values(stored).execute();
        }
      });
      assert.equal((await replies().list(installation.caller)).length, MAX_REPLIES_OF_GROUPS);
      const groupId = await fixture.createGroup();
      assert.equal(await kindOf(create(admin, ofGroup(groupId), 'more')), 'limit');
      const move = replies().update(fixture.transact, admin, moved.id, { ownerInput: ofGroup(groupId) });
      assert.equal(await kindOf(move), 'limit');
      await create(admin, ACCOUNT, 'more');
    });

    test('replies are deleted with their operator or group', async () => {
      const { caller, operators, groups } = fixture.installation;
      const groupId = await fixture.createGroup();
      const operator = fixture.callerFor(await fixture.createOperator());
      // The same number, but of an operator.
      for (const id of [groupId, operator.operatorId ?? 0]) await create(fixture.callerFor(id), OWN, 'mine');
      await create(caller, ofGroup(groupId), 'group');
      await create(caller, ACCOUNT, 'account');
      const count = async () =>
        (
          await fixture.installation.database.read.selectFrom('cannedReplies').select('scope').orderBy('id').execute()
        ).map(({ scope }) => scope);
      await groups.delete(fixture.transact, caller, groupId);
      assert.deepEqual(await count(), ['own', 'own', 'account']);
      await operators.delete(fixture.transact, caller, operator.operatorId ?? 0);
      assert.deepEqual(await count(), ['own', 'account']);
    });

    test('a group must exist, and only a reply of a group has one', async () => {
      const admin = fixture.callerFor(await fixture.createOperator(), 'admin');
      const groupId = await fixture.createGroup();
      for (const owner of [
        ofGroup(999),
        { scope: 'group' },
        { scope: 'own', groupId },
        { scope: 'account', groupId },
      ] as const)
        assert.equal(await kindOf(create(admin, owner, 'hello')), 'invalid', JSON.stringify(owner));
      assert.equal(await kindOf(create(fixture.installation.caller, OWN, 'hello')), 'forbidden');
    });
  });
}
