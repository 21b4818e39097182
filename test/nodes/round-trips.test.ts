import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
  TEST_SECRET,
} from '../support/databases/postgres-database.ts';
import { type RoundTripCounter, startRoundTripCounter } from '../support/databases/round-trip-counter.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../support/fixtures/site.ts';

/** Background timers and CPU starvation only ever increase a count, so the smallest of several tries counts. */
const MAX_TRIES = 20;
/** Responses are delayed longer with each try, but less than the node's statement timeout. */
const DELAY_STEP_MS = 20;
const MAX_DELAY_MS = 200;
const CACHE_TTL_MS = 550;
/** Enough for every connection to have prepared its statements. */
const WARM_UP_ROUNDS = 14;

/** Runs a request and counts its round trips. */
type Count = <T>(request: () => Promise<T>) => Promise<T>;

describe('database round trips per request', { skip: postgresServerUrl === undefined }, () => {
  const databaseUrl = postgresServerUrl === undefined ? '' : databaseUrlOf(`${DATABASE_PREFIX}trips_${process.pid}`);
  let counter: RoundTripCounter;
  let site: Site;
  let operator: SiteOperator;
  let visitor: SiteVisitor;
  let conversationId: string;

  before(async () => {
    await createDatabase(databaseUrl);
    counter = await startRoundTripCounter(databaseUrl);
    site = await openSite({ env: { DATABASE_URL: counter.url, SWITCHBOARD_SECRET: TEST_SECRET } });
    operator = await site.createOperator({ chat_max_number: 50 });
    visitor = await site.createVisitor();
    conversationId = (await visitor.startConversation({ message: 'Hello' })).id;
    await operator.acceptOffer(conversationId);
    const { data } = await site.admin.run('mutation{skillCreate(input:{name:"Held"}){skill{id}}}');
    await runAsAdmin(
      `mutation{operatorUpdate(input:{id:1 skillIds:[${data.skillCreate.skill.id}]}){userErrors{message}}}`,
    );
  });
  after(async () => {
    await site?.stop();
    await counter?.close();
    await dropDatabase(databaseUrl);
  });

  /** The smallest count of several tries; stops once one is within the limit. `run` counts what it passes on. */
  async function countRoundTrips(max: number, run: (attempt: number, count: Count) => Promise<unknown>) {
    for (let attempt = 0; attempt < WARM_UP_ROUNDS; attempt += 1) await run(attempt, (request) => request());
    let min = Number.POSITIVE_INFINITY;
    for (let attempt = WARM_UP_ROUNDS; attempt < WARM_UP_ROUNDS + MAX_TRIES && min > max; attempt += 1) {
      await run(attempt, async (request) => {
        // Keys and tokens are read again, so that they stay cached while the request runs.
        await setTimeout(CACHE_TTL_MS);
        await Promise.all([
          site.rest.get('/client'),
          ...[site.admin, operator, visitor].map((client) => client.run('{__typename}')),
        ]);
        counter.startCounting(Math.min(MAX_DELAY_MS, DELAY_STEP_MS * (attempt - WARM_UP_ROUNDS + 1)));
        const result = await request();
        min = Math.min(min, counter.stopCounting());
        return result;
      });
    }
    return min;
  }

  const assertSucceeds = async (response: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await response;
    assert.equal(status, 200, JSON.stringify(body));
  };
  const runAsAdmin = async (query: string) => {
    const { data, errors } = await site.admin.run(query);
    assert.deepEqual(errors, []);
    for (const { userErrors = [] } of Object.values(data) as { userErrors?: unknown[] }[])
      assert.deepEqual(userErrors, []);
  };

  /** The number is the limit. Limits above one for a read or three for a write have a comment that says why. */
  const requests: Record<string, readonly [most: number, request: (attempt: number) => Promise<unknown>]> = {
    'one operator by REST': [1, () => assertSucceeds(site.rest.get(`/operator/${operator.id}`))],
    'a list by REST': [1, () => assertSucceeds(site.rest.get('/operator?full=1&limit=20'))],
    'the live list by REST': [1, () => assertSucceeds(site.rest.get('/operator/live?limit=100'))],
    'a live state by REST': [1, () => assertSucceeds(site.rest.get(`/operator/${operator.id}/live`))],
    'one operator by GraphQL': [1, () => runAsAdmin(`{operator(id:${operator.id}){id name email}}`)],
    'a list by GraphQL': [1, () => runAsAdmin('{operators(first:20){nodes{id name}}}')],
    'a list of skills by GraphQL': [1, () => runAsAdmin('{skills(first:20){nodes{id name}}}')],
    'a list of conversations by GraphQL': [1, () => runAsAdmin('{conversations(first:20){nodes{id state}}}')],
    'a list of visitors by REST': [1, () => assertSucceeds(site.rest.get('/visitor?limit=20'))],
    'a list of websites by REST': [1, () => assertSucceeds(site.rest.get('/website?limit=20'))],
    // One more for each nested level.
    'operators with their live states, groups, skills and websites by GraphQL': [
      2,
      () => runAsAdmin('{operators(first:20){nodes{id live{connected} group{name} skills{name} websites{label}}}}'),
    ],
    'skills with their operators and live states by GraphQL': [
      3,
      () => runAsAdmin('{skills(first:20){nodes{id operators(first:10){nodes{id live{connected}}}}}}'),
    ],
    'set availability by REST': [
      2,
      (attempt) => assertSucceeds(site.rest.put('/operator/1/live', { chat: { available: attempt % 2 } })),
    ],
    'set availability by GraphQL': [
      2,
      (attempt) =>
        runAsAdmin(`mutation{operatorAvailabilityUpdate(input:{id:1 chat:${attempt % 2 === 0}}){userErrors{message}}}`),
    ],
    'a visitor message': [3, (attempt) => visitor.sendMessage(conversationId, 'Hello', `visitor ${attempt}`)],
    // Also loads the author's name.
    'an operator message': [3, (attempt) => operator.sendMessage(conversationId, 'Hello', `operator ${attempt}`)],
    'a new skill': [
      3,
      (attempt) => runAsAdmin(`mutation{skillCreate(input:{name:"Skill ${attempt}"}){userErrors{message}}}`),
    ],
    'an operator update': [
      3,
      (attempt) => assertSucceeds(site.rest.put('/operator/1', { pseudo: `Pseudo ${attempt}` })),
    ],
  };
  for (const [name, [max, request]] of Object.entries(requests)) {
    test(`${name}: at most ${max}`, async (t) => {
      const count = await countRoundTrips(max, (attempt, countOnly) => countOnly(() => request(attempt)));
      t.diagnostic(`${count}`);
      assert.ok(count <= max, `${count} round trips`);
    });
  }

  test('the authentication of a visitor who was quiet: at most 1', async (t) => {
    let min = Number.POSITIVE_INFINITY;
    for (let attempt = 1; attempt <= MAX_TRIES && min > 1; attempt += 1) {
      await setTimeout(CACHE_TTL_MS);
      counter.startCounting(Math.min(MAX_DELAY_MS, DELAY_STEP_MS * attempt));
      await visitor.run('{__typename}');
      min = Math.min(min, counter.stopCounting());
    }
    t.diagnostic(`${min}`);
    assert.ok(min <= 1, `${min} round trips`);
  });

  const start = async () => (await visitor.startConversation({ message: 'Hello' })).id as string;
  const accept = (id: string) => operator.acceptOffer(id);
  const close = async (id: string) => {
    const { data } = await visitor.run(`mutation{conversationClose(input:{id:${id}}){userErrors{message}}}`);
    assert.deepEqual(data.conversationClose.userErrors, []);
  };
  /** All steps of a conversation run each time; one of them is counted. */
  const steps = { start: 3, accept: 2, close: 2 };
  for (const [counted, max] of Object.entries(steps)) {
    // Start: what it depends on, the candidates, all writes with the commit.
    // Close: the conversation and that none waits, all writes with the commit.
    test(`${counted} of a conversation: at most ${max}`, async (t) => {
      const count = await countRoundTrips(max, async (_attempt, countOnly) => {
        const runStep = <T>(step: string, run: () => Promise<T>) => (step === counted ? countOnly(run) : run());
        const id = await runStep('start', start);
        await runStep('accept', () => accept(id));
        await runStep('close', () => close(id));
      });
      t.diagnostic(`${count}`);
      assert.ok(count <= max, `${count} round trips`);
    });
  }
});
