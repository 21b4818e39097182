import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.ts';
import { onPostgres } from '../../support/databases/postgres-database.ts';
import { type Desks, type Person, startDesks } from '../../support/people/desk.ts';

let desks: Desks;
let admin: Person;
before(async () => {
  desks = await startDesks();
  admin = await desks.person({ roles: ['admin'], chatEnabled: false });
});
after(() => desks.stop());

test('rule 5: operatorLive tells of slots that are taken and freed, of both sides of a transfer', async () => {
  const { world } = desks;
  const skillId = await world.skill();
  const [one, two] = [
    await world.operator({ skillList: [skillId], chatPriority: 10 }),
    await world.operator({ skillList: [skillId] }),
  ];
  const watched = await admin.connect().watch('subscription{operatorLive{id live{chat{slotNumber}}}}');
  const slots = () =>
    watched.seen.map(({ data }) => [Number(data.operatorLive.id), data.operatorLive.live.chat.slotNumber]);
  const conversation = await world.accept(await world.start({ skillId }));
  await watched.until(() => slots().some(([id, number]) => id === one && number === 1));
  const target = { id: conversation.id, operatorId: two };
  await world.installation.conversations.transfer(world.transact, world.as(one), target);
  await watched.until(() => slots().some(([id, number]) => id === two && number === 1));
  await watched.until(() => slots().some(([id, number]) => id === one && number === 0));
  await world.close(await world.accept(await world.conversation(conversation.id)));
  await watched.until(() => slots().at(-1)?.join() === `${two},0`);
  watched.stop();
});

/** The counter is that of the embedded database; the statements are the same. */
const COUNTED = { skip: onPostgres && 'looks are counted on the embedded database' };

test('rule 20: however many watch the availability of skills, one change is looked at once', COUNTED, async () => {
  const { world } = desks;
  const [skillId, other] = [await world.skill(), await world.skill()];
  const id = await world.operator({ skillList: [skillId], chatMaxNumber: 5 });
  const query = 'subscription($id:ID!){skillAvailability(id:$id){chat{freeSlots waiting}}}';
  const socket = admin.connect();
  const crowd = await Promise.all(
    Array.from({ length: 60 }, (_, n) => socket.watch(query, { id: n % 2 === 0 ? skillId : other })),
  );
  await Promise.all(crowd.map((watched) => watched.until((seen) => seen.length === 1)));
  const statements = mock.method(SqliteConnection.prototype, 'run');
  await world.start({ skillId });
  const ofSkill = crowd.filter((_, n) => n % 2 === 0);
  await Promise.all(ofSkill.map((watched) => watched.until((seen) => seen.length === 2)));
  const looks = statements.mock.calls.filter(({ arguments: [text] }) => /from "conversations" .* group by/.test(text));
  statements.mock.restore();
  assert.ok(looks.length > 0 && looks.length <= 5, `${looks.length} looks`);
  for (const watched of ofSkill) {
    assert.deepEqual(watched.seen.at(-1).data.skillAvailability.chat, { freeSlots: 4, waiting: 0 });
  }
  assert.ok(
    crowd.every((watched, n) => n % 2 === 0 || watched.seen.length === 1),
    'what did not change is not told',
  );
  await world.disconnect(id);
});
