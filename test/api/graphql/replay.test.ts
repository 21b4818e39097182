import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { type SeededServer, startSeededServer } from '../../support/processes/seeded-server.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let server: SeededServer;
before(async () => {
  server = await startSeededServer();
});
after(() => server.stop());

test('a change that another node has just made is answered with its response, whatever the permissions are now', async () => {
  const password = 'a phrase that is hard to guess';
  const { id, email } = await createOperator(server.rest, { roles: ['admin'], password });
  const { id: targetId } = await createOperator(server.rest, {});
  const admin = graphqlClient(server.url, await logIn(server.url, { email, password }));
  const update = `mutation{operatorUpdate(input:{id:${targetId},name:"New"}){operator{id} userErrors{code}}}`;
  const headers = { 'Idempotency-Key': 'once' };
  const first = await admin.run(update, {}, headers);
  assert.deepEqual(first.data.operatorUpdate, { operator: { id: String(targetId) }, userErrors: [] });

  await server.rest.put(`/operator/${id}`, { roles: ['operator'] });
  await waitUntil('the permission is gone', async () => (await admin.run('{apiKeys{id}}')).errors.length > 0);
  // The response was stored after this read, and is found in the transaction.
  const findResponse = mock.method(server.installation.access.idempotency, 'findResponse');
  findResponse.mock.mockImplementationOnce(async () => undefined);
  const replayed = await admin.run(update, {}, headers);
  assert.equal(findResponse.mock.callCount(), 2);
  findResponse.mock.restore();
  assert.deepEqual(replayed.errors, []);
  assert.deepEqual(replayed.data, first.data);
});

test('a repeated request whose first run has not ended is asked to try again', async () => {
  const password = 'a phrase that is hard to guess';
  const { email } = await createOperator(server.rest, { password });
  const operator = graphqlClient(server.url, await logIn(server.url, { email, password }));
  const runExclusively = mock.method(server.installation.access.idempotency, 'runExclusively', async () => {
    throw new DomainError('in_progress', 'A request with this Idempotency-Key is still running.');
  });
  const connect = 'mutation{operatorConnect(input:{ttlSeconds:30}){operator{id}}}';
  const { status, errors } = await operator.run(connect, {}, { 'Idempotency-Key': 'slow' });
  runExclusively.mock.restore();
  assert.equal(status, 503);
  assert.equal(errors[0]?.extensions?.code, 'UNAVAILABLE');
});
