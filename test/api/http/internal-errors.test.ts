import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const TABLES = ['api_keys', 'access_tokens', 'operators', 'visitor_tokens'];

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
  for (const table of TABLES) await switchboard.storedData.query(`alter table ${table} rename to ${table}_gone`);
});
after(async () => {
  for (const table of TABLES) await switchboard.storedData.query(`alter table ${table}_gone rename to ${table}`);
  await switchboard.stop();
});

const bearer = { Authorization: 'Bearer some-token' };
const graphql = JSON.stringify({ errors: [{ message: 'Internal error.', extensions: { code: 'INTERNAL' } }] });

const FAILURES: Record<string, { headers?: Record<string, string>; body: string | RegExp }> = {
  '/api/2/operator?key=some-key': { body: '{"meta":{"status":"error","message":"Internal error."}}' },
  '/_authenticated': { headers: bearer, body: '{"error":"server_error","error_description":"Internal error."}' },
  '/admin/login?key=1-1-some': { body: /<h1>The login failed<\/h1>.*The server log has the details under [\w-]+\./s },
  '/graphql?query={__typename}': { headers: bearer, body: graphql },
  '/visitor/graphql?query={__typename}': { headers: bearer, body: graphql },
};

for (const [path, { headers = {}, body }] of Object.entries(FAILURES)) {
  test(`an internal error at ${path} hides its details from the caller and logs them`, async () => {
    const response = await fetch(switchboard.url + path, { headers });
    const text = await response.text();
    assert.equal(response.status, 500);
    if (typeof body === 'string') assert.equal(text, body);
    else assert.match(text, body);
    const reqId = response.headers.get('x-request-id');
    const lines = switchboard
      .log()
      .split('\n')
      .filter((line) => line.includes('"request failed"'));
    const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.reqId === reqId);
    assert.equal(logged.length, 1);
    assert.match(logged[0].err.message, new RegExp(TABLES.join('|')));
    assert.match(logged[0].err.stack, /^\s+at /m);
  });
}
