import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeStaff, type Nodes, type Staff, startNodes } from '../support/nodes/nodes.ts';
import { patientGraphqlClient, patientRestClient, repeatWhileUnavailable } from '../support/waiting/patient.ts';

const server = process.env.TEST_DATABASE_URL;
const ROUNDS = 6;
const WRITERS = 4;

describe('a read through any node shows every write that was acknowledged before it', {
  skip: server === undefined,
}, () => {
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    nodes = await startNodes(server ?? '');
    staff = await makeStaff(nodes, WRITERS);
  });
  after(() => nodes?.end());

  test('operators: details, lists and counts, by REST and by GraphQL', async () => {
    await inRounds(async (writer, round) => {
      const { id = 0 } = staff.operators[writer] ?? {};
      const pseudo = `P${writer}-${round}`;
      assert.equal((await rest(writer + round).put(`/operator/${id}`, { pseudo })).status, 200);
      await throughAll(async (node) => {
        const [one, list, page, own] = await Promise.all([
          rest(node).get(`/operator/${id}`),
          rest(node).get('/operator?full=1&limit=50'),
          graphql(node).run('{operators(first:50){nodes{id pseudo}}}'),
          graphql(node).run(`{operator(id:${id}){pseudo}}`),
        ]);
        assert.equal(one.body.data.pseudo, pseudo, 'REST detail');
        assert.equal(list.body.data.find((each: { id: number }) => each.id === id)?.pseudo, pseudo, 'REST list');
        assert.equal(
          page.data.operators.nodes.find((each: { id: string }) => Number(each.id) === id)?.pseudo,
          pseudo,
          'GraphQL list',
        );
        assert.equal(own.data.operator.pseudo, pseudo, 'GraphQL detail');
      });
    });
  });

  test('live states: details and lists, with whoever is connected', async () => {
    await Promise.all(
      staff.operators.map(({ token }, index) =>
        patientGraphqlClient(nodes.urls[index % nodes.urls.length] ?? '', token).run(
          'mutation{operatorConnect(input:{ttlSeconds:300}){userErrors{message}}}',
        ),
      ),
    );
    await inRounds(async (writer, round) => {
      const { id = 0 } = staff.operators[writer] ?? {};
      const available = round % 2;
      const changed = await rest(writer + round).put(`/operator/${id}/live`, { chat: { available } });
      assert.equal(changed.status, 200, JSON.stringify(changed.body));
      await throughAll(async (node) => {
        const [one, list, everyone, own] = await Promise.all([
          rest(node).get(`/operator/${id}/live`),
          rest(node).get('/operator/live'),
          rest(node).get('/operator/live?connected=0'),
          graphql(node).run(`{operator(id:${id}){live{connected chat{available}}}}`),
        ]);
        const isListed = list.body.data.some((each: { id: number }) => each.id === id);
        const among = everyone.body.data.find((each: { id: number }) => each.id === id);
        assert.equal(Number(one.body.data.chat.available), available, 'REST detail');
        assert.equal(isListed, available === 1, 'REST list of those who are there');
        assert.equal(Number(among?.chat.available), available, 'REST list of everybody');
        assert.deepEqual(own.data.operator.live, { connected: true, chat: { available: available === 1 } }, 'GraphQL');
      });
    });
  });

  test('what was made is listed and counted, and what was deleted is not', async () => {
    await inRounds(async (writer, round) => {
      const name = `S${writer}-${round}`;
      const create = `mutation{skillCreate(input:{name:"${name}"}){skill{id}}}`;
      const made = await graphql(writer + round).run(create, {}, { 'Idempotency-Key': name });
      const { id } = made.data.skillCreate.skill;
      await throughAll(async (node) => {
        const [list, page] = await Promise.all([
          rest(node).get('/skill?full=1&limit=100'),
          graphql(node).run(`{skills(first:1 filter:{name:"${name}"}){totalCount nodes{id}} skill(id:${id}){name}}`),
        ]);
        assert.ok(
          list.body.data.some((each: { id: number }) => each.id === Number(id)),
          'REST list',
        );
        assert.equal(page.data?.skill.name, name, JSON.stringify(page.errors));
        assert.ok(page.data.skills.totalCount >= 1, 'GraphQL count');
      });
      await graphql(writer + round + 1).run(`mutation{skillDelete(input:{id:${id}}){deletedId}}`);
      await throughAll(async (node) => {
        const [one, own] = await Promise.all([
          rest(node).get(`/skill/${id}`),
          graphql(node).run(`{skill(id:${id}){name}}`),
        ]);
        assert.equal(one.status, 404);
        assert.equal(own.data.skill, null);
      });
    });
  });

  test('what a visitor is told of availability knows every change', async () => {
    const session = await repeatWhileUnavailable(() =>
      fetch(`${nodes.urls[0]}/visitor/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ websiteId: staff.website }),
      }),
    );
    const { token } = (await session.json()) as { token: string };
    const isAvailable = async (node: number) => {
      const answer = await repeatWhileUnavailable(() =>
        fetch(`${nodes.urls[node]}/visitor/graphql`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: JSON.stringify({ query: '{availability{chat{isAvailable}}}' }),
        }),
      );
      return ((await answer.json()) as { data: { availability: { chat: { isAvailable: boolean } } } }).data.availability
        .chat.isAvailable;
    };
    for (const available of [0, 1, 0, 1]) {
      await throughAll(async (node) => {
        await isAvailable(node); // what is remembered is of this moment
      });
      for (const { id } of staff.operators) await rest(id).put(`/operator/${id}/live`, { chat: { available } });
      await throughAll(async (node) => assert.equal(await isAvailable(node), available === 1));
    }
  });

  /** Several writers at the same time, each of whom knows what they have written. */
  async function inRounds(work: (writer: number, round: number) => Promise<void>): Promise<void> {
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let round = 0; round < ROUNDS; round += 1) await work(writer, round);
      }),
    );
  }

  async function throughAll(look: (node: number) => Promise<void>): Promise<void> {
    await Promise.all(nodes.urls.map((_, node) => look(node)));
  }

  function rest(node: number) {
    return patientRestClient(nodes.urls[node % nodes.urls.length] ?? '', nodes.all[0]?.key ?? '');
  }

  function graphql(node: number) {
    return patientGraphqlClient(nodes.urls[node % nodes.urls.length] ?? '', nodes.token);
  }
});
