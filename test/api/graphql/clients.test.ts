import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { logIn } from '../../support/clients/graphql.ts';
import { LIBRARIES, type LibraryClient } from '../../support/clients/graphql-clients.ts';
import { restClient } from '../../support/clients/rest.ts';
import { idsOf } from '../../support/people/people.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { until } from '../../support/waiting/until.ts';

const PAGE = `query Page($after: String) {
  operators(first: 7, after: $after) {
    totalCount
    nodes { id pseudo group { name } }
    pageInfo { hasNextPage endCursor }
  }
}`;

const RENAME = `mutation Rename($input: OperatorUpdateInput!) {
  operatorUpdate(input: $input) {
    operator { id pseudo }
    userErrors { field code }
  }
}`;

const ROUTABLE = `query Routable($skill: ID!) {
  skill(id: $skill) { operators(first: 1, filter: { routable: CHAT }) { nodes { id } } }
}`;

const AVAILABLE = `mutation Available($input: OperatorAvailabilityUpdateInput!) {
  operatorAvailabilityUpdate(input: $input) { operator { id } userErrors { message } }
}`;

const FREE = 'subscription Free($skill: ID!) { skillAvailability(id: $skill) { chat { operatorsRoutable } } }';

interface OperatorPage {
  operators: {
    totalCount: number;
    nodes: { id: string; pseudo: string | null }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}
interface Renamed {
  operatorUpdate: { operator: { pseudo: string } | null; userErrors: { field: string; code: string }[] };
}
interface Found {
  skill: { operators: { nodes: { id: string }[] } };
}
interface Free {
  skillAvailability: { chat: { operatorsRoutable: number } };
}

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard({ demo: true });
});
after(() => switchboard.stop());

for (const [library, makeClient] of Object.entries(LIBRARIES)) {
  describe(library, () => {
    let client: LibraryClient;
    before(async () => {
      client = makeClient(switchboard.url, await logIn(switchboard.url));
    });
    after(() => client.close());

    test('pages through all operators', async () => {
      const ids: number[] = [];
      let after: string | null = null;
      for (;;) {
        const { operators }: OperatorPage = await client.ask('query', PAGE, { after });
        assert.ok(operators.nodes.length <= 7);
        ids.push(...operators.nodes.map(({ id }) => Number(id)));
        after = operators.pageInfo.endCursor;
        assert.equal(operators.totalCount, 41);
        if (!operators.pageInfo.hasNextPage) break;
      }
      assert.deepEqual(ids, await idsOf(restClient(switchboard.url, switchboard.key), '/operator'));
    });

    test('changes an operator, and is told what it can mend', async () => {
      const pseudo = `By ${library}`.slice(0, 20);
      const good: Renamed = await client.ask('mutation', RENAME, { input: { id: '2', pseudo } });
      assert.equal(good.operatorUpdate.operator?.pseudo, pseudo);
      assert.deepEqual(good.operatorUpdate.userErrors, []);
      const bad: Renamed = await client.ask('mutation', RENAME, { input: { id: '2', email: 'no address' } });
      assert.equal(bad.operatorUpdate.operator, null);
      assert.equal(bad.operatorUpdate.userErrors[0]?.code, 'INVALID');
    });

    test('hears over a subscription that an operator of a skill went away and came back', async () => {
      const skill = '1';
      const { skill: found }: Found = await client.ask('query', ROUTABLE, { skill });
      const id = found.operators.nodes[0]?.id;
      const numbers: number[] = [];
      const end = client.listen<Free>(FREE, { skill }, ({ skillAvailability }) =>
        numbers.push(skillAvailability.chat.operatorsRoutable),
      );
      await until('the number of now', () => numbers.length === 1);
      await client.ask('mutation', AVAILABLE, { input: { id, chat: false } });
      await until('one is away', () => numbers.length === 2);
      await client.ask('mutation', AVAILABLE, { input: { id, chat: true } });
      await until('they are back', () => numbers.length === 3);
      end();
      const [free = 0] = numbers;
      assert.ok(free >= 1);
      assert.deepEqual(numbers, [free, free - 1, free]);
    });

    test('fails when the token is not valid, with the words or the status of the answer', async () => {
      const stranger = makeClient(switchboard.url, 'nonsense');
      await assert.rejects(stranger.ask('query', PAGE), /access token not valid|401/);
      stranger.close();
    });
  });
}
