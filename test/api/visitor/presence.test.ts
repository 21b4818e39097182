import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSite, type Site } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site.stop());

/** As a socket stores it; a request counts for longer. */
const INSERT_PRESENCE = `insert into visitor_presence (account_id, visitor_id, present_until)
  select account_id, id, cast(? as bigint) from visitors where unique_id = ? on conflict do nothing`;
const READ_PRESENCE = `select present_until from visitor_presence p
  join visitors v on v.account_id = p.account_id and v.id = p.visitor_id where v.unique_id = ?`;

/** Each returns the token for the next request. */
const requests: Record<string, (token: string) => Promise<string>> = {
  'over HTTP': async (token) => {
    await post('/visitor/graphql', token, JSON.stringify({ query: '{__typename}' }));
    return token;
  },
  'that renews the session': async (token) => {
    const response = await post('/visitor/session/renew', token);
    assert.equal(response.status, 201);
    return ((await response.json()) as { token: string }).token;
  },
  'with a file': async (token) => {
    const form = new FormData();
    form.append('conversationId', '1');
    form.append('file', new Blob(['text']), 'text.txt');
    await post('/visitor/attachment', token, form);
    return token;
  },
};

for (const [what, request] of Object.entries(requests)) {
  test(`rule 22: a request ${what} proves presence for a minute`, async () => {
    const visitor = await site.createVisitor();
    const { query } = site.switchboard.storedData;
    let token = visitor.token;
    // Repeated, because a busy service may have deleted a row that ended before the request.
    await waitUntil('the request has renewed the presence', async () => {
      await query(INSERT_PRESENCE, Date.now() + 50_000, visitor.visitorId);
      token = await request(token);
      const [presence] = await query(READ_PRESENCE, visitor.visitorId);
      return Number(presence?.present_until) > Date.now() + 55_000;
    });
  });
}

function post(path: string, token: string, body?: string | FormData): Promise<Response> {
  const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
  return fetch(`${site.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, ...type },
    ...(body === undefined ? {} : { body }),
  });
}
