import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const TABLES = ['api_keys', 'access_tokens', 'operators', 'visitor_tokens'];

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
  for (const table of TABLES) await switchboard.stored.rows(`alter table ${table} rename to ${table}_gone`);
});
after(async () => {
  for (const table of TABLES) await switchboard.stored.rows(`alter table ${table}_gone rename to ${table}`);
  await switchboard.stop();
});

const bearer = { Authorization: 'Bearer some-token' };
const graphql = JSON.stringify({ errors: [{ message: 'Internal error.', extensions: { code: 'INTERNAL' } }] });

const FAULTS: Record<string, { headers?: Record<string, string>; body: string | RegExp }> = {
  '/api/2/operator?key=some-key': { body: '{"meta":{"status":"error","message":"Internal error."}}' },
  '/_authenticated': { headers: bearer, body: '{"error":"server_error","error_description":"Internal error."}' },
  '/admin/login?key=1-1-some': { body: /<h1>The login failed<\/h1>.*Its log has it under [\w-]+\./s },
  '/graphql?query={__typename}': { headers: bearer, body: graphql },
  '/visitor/graphql?query={__typename}': { headers: bearer, body: graphql },
};

for (const [path, { headers = {}, body }] of Object.entries(FAULTS)) {
  test(`a fault at ${path} is masked for the caller, and whole in the log`, async () => {
    const answer = await fetch(switchboard.url + path, { headers });
    const text = await answer.text();
    assert.equal(answer.status, 500);
    if (typeof body === 'string') assert.equal(text, body);
    else assert.match(text, body);
    const reqId = answer.headers.get('x-request-id');
    const lines = switchboard
      .log()
      .split('\n')
      .filter((line) => line.includes('"request failed"'));
    const own = lines.map((line) => JSON.parse(line)).filter((line) => line.reqId === reqId);
    assert.equal(own.length, 1);
    assert.match(own[0].err.message, new RegExp(TABLES.join('|')));
    assert.match(own[0].err.stack, /^\s+at /m);
  });
}
