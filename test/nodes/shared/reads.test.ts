import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createStaff, type Nodes, type Staff } from '../../support/nodes/nodes.ts';
import { shareNodes } from '../../support/nodes/shared-nodes.ts';
import {
  retryingGraphqlClient,
  retryingRestClient,
  retryWhileUnavailable,
} from '../../support/waiting/retrying-clients.ts';

const server = process.env.TEST_DATABASE_URL;
const ROUNDS = 6;
const WRITERS = 4;

describe('a read through any node shows every write that was acknowledged before it', {
  skip: server === undefined,
}, () => {
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    nodes = await shareNodes(server ?? '');
    staff = await createStaff(nodes, WRITERS);
  });

  test('operators: details, lists and counts, by REST and by GraphQL', async () => {
    await runWriters(async (writer, round) => {
      const { id = 0 } = staff.operators[writer] ?? {};
      const pseudo = `P${writer}-${round}`;
      assert.equal((await restVia(writer + round).put(`/operator/${id}`, { pseudo })).status, 200);
      await onEveryNode(async (node) => {
        const [detail, list, page, single] = await Promise.all([
          restVia(node).get(`/operator/${id}`),
          restVia(node).get('/operator?full=1&limit=50'),
          graphqlVia(node).run('{operators(first:50){nodes{id pseudo}}}'),
          graphqlVia(node).run(`{operator(id:${id}){pseudo}}`),
        ]);
        assert.equal(detail.body.data.pseudo, pseudo, 'REST detail');
        assert.equal(
          list.body.data.find((operator: { id: number }) => operator.id === id)?.pseudo,
          pseudo,
          'REST list',
        );
        assert.equal(
          page.data.operators.nodes.find((operator: { id: string }) => Number(operator.id) === id)?.pseudo,
          pseudo,
          'GraphQL list',
        );
        assert.equal(single.data.operator.pseudo, pseudo, 'GraphQL detail');
      });
    });
  });

  test('live states: details and lists of connected and of all operators', async () => {
    await Promise.all(
      staff.operators.map(({ token }, index) =>
        retryingGraphqlClient(nodes.urls[index % nodes.urls.length] ?? '', token).run(
          'mutation{operatorConnect(input:{ttlSeconds:300}){userErrors{message}}}',
        ),
      ),
    );
    await runWriters(async (writer, round) => {
      const { id = 0 } = staff.operators[writer] ?? {};
      const available = round % 2;
      const changed = await restVia(writer + round).put(`/operator/${id}/live`, { chat: { available } });
      assert.equal(changed.status, 200, JSON.stringify(changed.body));
      await onEveryNode(async (node) => {
        const [detail, list, fullList, graphqlDetail] = await Promise.all([
          restVia(node).get(`/operator/${id}/live`),
          restVia(node).get('/operator/live'),
          restVia(node).get('/operator/live?connected=0'),
          graphqlVia(node).run(`{operator(id:${id}){live{connected chat{available}}}}`),
        ]);
        const isListed = list.body.data.some((live: { id: number }) => live.id === id);
        const entry = fullList.body.data.find((live: { id: number }) => live.id === id);
        assert.equal(Number(detail.body.data.chat.available), available, 'REST detail');
        assert.equal(isListed, available === 1, 'REST list of routable operators');
        assert.equal(Number(entry?.chat.available), available, 'REST list of all operators');
        assert.deepEqual(
          graphqlDetail.data.operator.live,
          { connected: true, chat: { available: available === 1 } },
          'GraphQL',
        );
      });
    });
  });

  test('created skills are listed and counted, deleted ones are not', async () => {
    await runWriters(async (writer, round) => {
      const name = `S${writer}-${round}`;
      const create = `mutation{skillCreate(input:{name:"${name}"}){skill{id}}}`;
      const created = await graphqlVia(writer + round).run(create, {}, { 'Idempotency-Key': name });
      const { id } = created.data.skillCreate.skill;
      await onEveryNode(async (node) => {
        const [list, page] = await Promise.all([
          restVia(node).get('/skill?full=1&limit=100'),
          graphqlVia(node).run(`{skills(first:1 filter:{name:"${name}"}){totalCount nodes{id}} skill(id:${id}){name}}`),
        ]);
        assert.ok(
          list.body.data.some((skill: { id: number }) => skill.id === Number(id)),
          'REST list',
        );
        assert.equal(page.data?.skill.name, name, JSON.stringify(page.errors));
        assert.ok(page.data.skills.totalCount >= 1, 'GraphQL count');
      });
      await graphqlVia(writer + round + 1).run(`mutation{skillDelete(input:{id:${id}}){deletedId}}`);
      await onEveryNode(async (node) => {
        const [detail, graphqlDetail] = await Promise.all([
          restVia(node).get(`/skill/${id}`),
          graphqlVia(node).run(`{skill(id:${id}){name}}`),
        ]);
        assert.equal(detail.status, 404);
        assert.equal(graphqlDetail.data.skill, null);
      });
    });
  });

  test('the availability that visitors see reflects every change', async () => {
    const session = await retryWhileUnavailable(() =>
      fetch(`${nodes.urls[0]}/visitor/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ websiteId: staff.website }),
      }),
    );
    const { token } = (await session.json()) as { token: string };
    const isAvailable = async (node: number) => {
      const response = await retryWhileUnavailable(() =>
        fetch(`${nodes.urls[node]}/visitor/graphql`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: JSON.stringify({ query: '{availability{chat{isAvailable}}}' }),
        }),
      );
      return ((await response.json()) as { data: { availability: { chat: { isAvailable: boolean } } } }).data
        .availability.chat.isAvailable;
    };
    for (const available of [0, 1, 0, 1]) {
      await onEveryNode(async (node) => {
        await isAvailable(node); // fills the cache
      });
      for (const { id } of staff.operators) await restVia(id).put(`/operator/${id}/live`, { chat: { available } });
      await onEveryNode(async (node) => assert.equal(await isAvailable(node), available === 1));
    }
  });

  /** Several concurrent writers, each with its own rounds. */
  async function runWriters(work: (writer: number, round: number) => Promise<void>): Promise<void> {
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let round = 0; round < ROUNDS; round += 1) await work(writer, round);
      }),
    );
  }

  async function onEveryNode(check: (node: number) => Promise<void>): Promise<void> {
    await Promise.all(nodes.urls.map((_, node) => check(node)));
  }

  function restVia(node: number) {
    return retryingRestClient(nodes.urls[node % nodes.urls.length] ?? '', nodes.all[0]?.key ?? '');
  }

  function graphqlVia(node: number) {
    return retryingGraphqlClient(nodes.urls[node % nodes.urls.length] ?? '', nodes.token);
  }
});
