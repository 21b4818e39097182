import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { graphqlClient, logIn } from '../support/graphql.ts';
import { add, addOperator } from '../support/people.ts';
import { type RestClient, restClient } from '../support/rest.ts';
import { openSocket, type Socket } from '../support/subscriptions.ts';
import { type Switchboard, startSwitchboard } from '../support/switchboard.ts';
let switchboard: Switchboard; let rest: RestClient; let socket: Socket;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  const http = graphqlClient(switchboard.url, await logIn(switchboard.url));
  socket = openSocket(switchboard.url, http.token);
});
after(async () => { socket.end(); await switchboard.stop(); });
const LIVE = 'subscription($filter:OperatorFilter){operatorLive(filter:$filter){id pseudo live{connected chat{available}}}}';
for (let round = 0; round < 150; round++) test(`round ${round}`, async () => {
  const skill = await add(rest, 'skill', { name: `Watched ${round}` });
  const [member, stranger] = [await addOperator(rest, { skill_list: [skill] }), await addOperator(rest)];
  const [ofSkill, available, everyone] = await Promise.all([
    socket.watch(LIVE, { filter: { skillId: String(skill) } }),
    socket.watch(LIVE, { filter: { available: 'CHAT' } }),
    socket.watch(LIVE),
  ]);
  const put = async (id: number, value: boolean) => assert.equal((await rest.put(`/operator/${id}/live`, { chat: { available: value } })).status, 200);
  for (const id of [stranger.id, member.id]) await put(id, true);
  await put(stranger.id, false);
  await put(member.id, false);
  try {
  await everyone.until((seen) => seen.length >= 4, 4000);
  } catch (error) {
    const rows = await switchboard.stored.rows('select position, type, subject_id, changes from events order by position desc limit 6');
    console.log(rows, everyone.seen.map((m) => [m.data.operatorLive.id, m.data.operatorLive.live.chat.available]), ofSkill.seen.length, available.seen.length);
    throw error;
  }
  for (const watched of [ofSkill, available, everyone]) watched.stop();
});
