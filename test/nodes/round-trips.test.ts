import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FarDatabase, startFarDatabase } from '../support/far-database.ts';
import { graphqlClient, logIn } from '../support/graphql.ts';
import { addressOf, dropDatabase, makeDatabase, PREFIX, postgresServer, SECRET } from '../support/postgres-database.ts';
import { restClient } from '../support/rest.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../support/switchboard.ts';

/** Far enough for the rest of a request to be small beside it. */
const FAR_MS = 60;
const TRIES = 6;

describe('how often a request waits for the database', { skip: postgresServer === undefined }, () => {
  const address = postgresServer === undefined ? '' : addressOf(`${PREFIX}trips_${process.pid}`);
  let far: FarDatabase;
  let node: Switchboard;
  let rest: ReturnType<typeof restClient>;
  let run: (query: string) => Promise<unknown>;
  let website: number;

  before(async () => {
    await makeDatabase(address);
    far = await startFarDatabase(address);
    node = await startSwitchboard({ env: { DATABASE_URL: far.url, SWITCHBOARD_SECRET: SECRET } });
    rest = restClient(node.url, node.key);
    const graphql = graphqlClient(node.url, await logIn(node.url, ADMIN));
    run = async (query) => {
      const answer = await graphql.run(query);
      assert.equal(JSON.stringify(answer).includes('rrors":[{'), false, JSON.stringify(answer));
    };
    website = (await graphql.run('mutation{websiteCreate(input:{url:"https://a.example" label:"A"}){website{id}}}'))
      .data.websiteCreate.website.id;
    for (let number = 0; number < 5; number += 1)
      await graphql.run(
        `mutation{operatorCreate(input:{name:"O" email:"o${number}@example.com" websiteIds:[${website}]}){operator{id}}}`,
      );
  });
  after(async () => {
    await node?.stop();
    await far?.close();
    await dropDatabase(address);
  });

  /** The least of several tries: timers of the node and others on the machine only add to it. */
  async function trips(request: (attempt: number) => Promise<unknown>): Promise<number> {
    far.delay(0);
    for (let attempt = 0; attempt < 14; attempt += 1) await request(attempt - 100); // every connection has prepared it
    let least = Number.POSITIVE_INFINITY;
    far.delay(FAR_MS);
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      await Promise.all([rest.get('/client'), run('{__typename}')]); // the key and the token are known
      const startedAt = performance.now();
      await request(attempt);
      least = Math.min(least, performance.now() - startedAt);
    }
    far.delay(0);
    return Math.floor(least / FAR_MS);
  }

  const succeeds = async (answer: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answer;
    assert.equal(status, 200, JSON.stringify(body));
  };

  const reads: Record<string, () => Promise<unknown>> = {
    'one operator by REST': () => succeeds(rest.get('/operator/2')),
    'a list by REST': () => succeeds(rest.get('/operator?full=1&limit=20')),
    'the live list by REST': () => succeeds(rest.get('/operator/live?limit=100')),
    'a live state by REST': () => succeeds(rest.get('/operator/2/live')),
    'one operator by GraphQL': () => run('{operator(id:2){id name email}}'),
    'a list by GraphQL': () => run('{operators(first:20){nodes{id name}}}'),
  };
  for (const [name, read] of Object.entries(reads)) {
    test(`${name}: one round trip`, async (t) => {
      const counted = await trips(read);
      t.diagnostic(`${counted}`);
      assert.ok(counted <= 1, `${counted} round trips`);
    });
  }

  const writes: Record<string, (attempt: number) => Promise<unknown>> = {
    'set availability by REST': (attempt) =>
      succeeds(rest.put('/operator/2/live', { chat: { available: Math.abs(attempt % 2) } })),
    'set availability by GraphQL': (attempt) =>
      run(`mutation{operatorAvailabilityUpdate(input:{id:3 chat:${attempt % 2 === 0}}){userErrors{message}}}`),
    'change an operator': (attempt) => succeeds(rest.put('/operator/2', { pseudo: `Pseudo ${attempt}` })),
    'create a skill': (attempt) => run(`mutation{skillCreate(input:{name:"S${attempt} ${Math.random()}"}){skill{id}}}`),
  };
  for (const [name, write] of Object.entries(writes)) {
    test(`${name}: three round trips`, async (t) => {
      const counted = await trips(write);
      t.diagnostic(`${counted}`);
      assert.ok(counted <= 3, `${counted} round trips`);
    });
  }
});
