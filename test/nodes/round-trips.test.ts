import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FarDatabase, startFarDatabase } from '../support/databases/far-database.ts';
import {
  addressOf,
  dropDatabase,
  makeDatabase,
  PREFIX,
  postgresServer,
  SECRET,
} from '../support/databases/postgres-database.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../support/people/site.ts';

/** Timers of the node, and a node that gets no processor between two statements, only ever add to a count. */
const MAX_TRIES = 20;
/** Answers are held back for longer from try to try, but for less than the node waits for one. */
const HELD_MS = 20;
const MAX_HELD_MS = 200;
/** So often that every connection has prepared what it needs. */
const WARM = 14;

describe('how often a request waits for the database', { skip: postgresServer === undefined }, () => {
  const address = postgresServer === undefined ? '' : addressOf(`${PREFIX}trips_${process.pid}`);
  let far: FarDatabase;
  let site: Site;
  let operator: SiteOperator;
  let visitor: SiteVisitor;
  let talk: string;

  before(async () => {
    await makeDatabase(address);
    far = await startFarDatabase(address);
    site = await openSite({ env: { DATABASE_URL: far.url, SWITCHBOARD_SECRET: SECRET } });
    operator = await site.operator({ chat_max_number: 50 });
    visitor = await site.visitor();
    talk = (await visitor.start({ message: 'Hello' })).id;
    await operator.accept(talk);
    const { data } = await site.admin.run('mutation{skillCreate(input:{name:"Held"}){skill{id}}}');
    await admin(`mutation{operatorUpdate(input:{id:1 skillIds:[${data.skillCreate.skill.id}]}){userErrors{message}}}`);
  });
  after(async () => {
    await site?.stop();
    await far?.close();
    await dropDatabase(address);
  });

  /** The least of several tries, until one of them needs no more than it may. */
  async function trips(most: number, request: (attempt: number) => Promise<unknown>): Promise<number> {
    for (let attempt = 0; attempt < WARM; attempt += 1) await request(attempt);
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = WARM; attempt < WARM + MAX_TRIES && least > most; attempt += 1) {
      // Whose key and tokens these are is remembered for a moment.
      await Promise.all([
        site.rest.get('/client'),
        ...[site.admin, operator, visitor].map((each) => each.run('{__typename}')),
      ]);
      far.beginCount(Math.min(MAX_HELD_MS, HELD_MS * (attempt - WARM + 1)));
      await request(attempt);
      least = Math.min(least, far.endCount());
    }
    return least;
  }

  const succeeds = async (answer: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answer;
    assert.equal(status, 200, JSON.stringify(body));
  };
  const admin = async (query: string) => {
    const { data, errors } = await site.admin.run(query);
    assert.deepEqual(errors, []);
    for (const { userErrors = [] } of Object.values(data) as { userErrors?: unknown[] }[])
      assert.deepEqual(userErrors, []);
  };

  /** The first number is how many a request may need. Where that is more than one for a read or three for a write, it says why. */
  const requests: Record<string, readonly [most: number, request: (attempt: number) => Promise<unknown>]> = {
    'one operator by REST': [1, () => succeeds(site.rest.get(`/operator/${operator.id}`))],
    'a list by REST': [1, () => succeeds(site.rest.get('/operator?full=1&limit=20'))],
    'the live list by REST': [1, () => succeeds(site.rest.get('/operator/live?limit=100'))],
    'a live state by REST': [1, () => succeeds(site.rest.get(`/operator/${operator.id}/live`))],
    'one operator by GraphQL': [1, () => admin(`{operator(id:${operator.id}){id name email}}`)],
    'a list by GraphQL': [1, () => admin('{operators(first:20){nodes{id name}}}')],
    'a list of skills by GraphQL': [1, () => admin('{skills(first:20){nodes{id name}}}')],
    'a list of conversations by GraphQL': [1, () => admin('{conversations(first:20){nodes{id state}}}')],
    'a list of visitors by REST': [1, () => succeeds(site.rest.get('/visitor?limit=20'))],
    'a list of websites by REST': [1, () => succeeds(site.rest.get('/website?limit=20'))],
    // One more for each level of what is asked for of what was found.
    'operators with their live states, groups, skills and websites by GraphQL': [
      2,
      () => admin('{operators(first:20){nodes{id live{connected} group{name} skills{name} websites{label}}}}'),
    ],
    'skills with their operators and live states by GraphQL': [
      3,
      () => admin('{skills(first:20){nodes{id operators(first:10){nodes{id live{connected}}}}}}'),
    ],
    'set availability by REST': [
      3,
      (attempt) => succeeds(site.rest.put('/operator/1/live', { chat: { available: attempt % 2 } })),
    ],
    'set availability by GraphQL': [
      3,
      (attempt) =>
        admin(`mutation{operatorAvailabilityUpdate(input:{id:1 chat:${attempt % 2 === 0}}){userErrors{message}}}`),
    ],
    'a message of a visitor': [3, (attempt) => visitor.send(talk, 'Hello', `visitor ${attempt}`)],
    // With the name of who wrote it.
    'a message of an operator': [4, (attempt) => operator.send(talk, 'Hello', `operator ${attempt}`)],
    'a new skill': [
      3,
      (attempt) => admin(`mutation{skillCreate(input:{name:"Skill ${attempt}"}){userErrors{message}}}`),
    ],
    'a change of an operator': [
      3,
      (attempt) => succeeds(site.rest.put('/operator/1', { pseudo: `Pseudo ${attempt}` })),
    ],
    // Who it is comes first each time; routing then asks who is best, claims, and decides, one after the other.
    'a whole conversation, started, accepted and closed': [
      18,
      async () => {
        const { id } = await visitor.start({ message: 'Hello' });
        await operator.accept(id);
        const { data } = await visitor.run(`mutation{conversationClose(input:{id:${id}}){userErrors{message}}}`);
        assert.deepEqual(data.conversationClose.userErrors, []);
      },
    ],
  };
  for (const [name, [most, request]] of Object.entries(requests)) {
    test(`${name}: ${most} at most`, async (t) => {
      const counted = await trips(most, request);
      t.diagnostic(`${counted}`);
      assert.ok(counted <= most, `${counted} round trips`);
    });
  }
});
