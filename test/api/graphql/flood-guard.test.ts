import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createFloodGuard } from '../../../src/api/graphql-server/flood-guard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

/** Records what the guard does with a connection. */
class FakeClient {
  readonly calls: string[] = [];

  pause(): void {
    this.calls.push('pause');
  }

  resume(): void {
    this.calls.push('resume');
  }

  close(code: number): void {
    this.calls.push(`close ${code}`);
  }
}

test('reading from a connection pauses for every refusal', async () => {
  const client = new FakeClient();
  const countRefusal = createFloodGuard(client);
  const start = performance.now();
  for (let n = 0; n < 40; n += 1) countRefusal();
  assert.deepEqual(client.calls, ['pause']);
  await waitUntil('reading continues', () => client.calls.length > 1);
  assert.deepEqual(client.calls, ['pause', 'resume']);
  assert.ok(performance.now() - start >= 200, 'the pauses of 40 refusals add up');
  countRefusal();
  assert.deepEqual(client.calls, ['pause', 'resume', 'pause']);
});

test('a connection with too many refusals is closed', () => {
  const client = new FakeClient();
  const countRefusal = createFloodGuard(client);
  for (let n = 0; n < 1000; n += 1) countRefusal();
  assert.deepEqual(client.calls, ['pause']);
  countRefusal();
  assert.deepEqual(client.calls, ['pause', 'close 4429']);
});

test('refusals of an earlier period do not count', () => {
  const client = new FakeClient();
  const countRefusal = createFloodGuard(client, 100);
  let now = 1000;
  const clock = mock.method(performance, 'now', () => now);
  for (let n = 0; n < 1000; n += 1) countRefusal();
  now += 101;
  for (let n = 0; n < 1000; n += 1) countRefusal();
  assert.deepEqual(client.calls, ['pause']);
  countRefusal();
  clock.mock.restore();
  assert.deepEqual(client.calls, ['pause', 'close 4429']);
});
