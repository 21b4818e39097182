import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { HashQueue, type HashTurn } from '../../../src/core/access/hash-queue.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';

/** A queue of named hashes, each of which the test ends. */
function createHashes() {
  const queue = new HashQueue();
  const running = new Map<string, () => void>();
  const started: string[] = [];
  const failed = new Map<string, unknown>();
  const add = (name: string, turn: HashTurn) => {
    const hash = () => {
      started.push(name);
      return new Promise<void>((resolve) => running.set(name, resolve));
    };
    queue.run(turn, hash).catch((error) => failed.set(name, error));
  };
  /** Ends the oldest running hash, until `count` have ended or none is left. */
  const end = async (count = Number.POSITIVE_INFINITY) => {
    await nextTick();
    for (let ended = 0; ended < count && running.size > 0; ended += 1) {
      const [[name, resolve]] = [...running] as [[string, () => void]];
      running.delete(name);
      resolve();
      await nextTick();
    }
  };
  return { add, end, started, failed, countRunning: () => running.size };
}

const from = (network: string, user = 'user'): HashTurn => ({ priority: 'other', source: [network, user] });
const fromKnown = (network: string): HashTurn => ({ priority: 'known', source: [network, 'user'] });
const fromImport = (account: string): HashTurn => ({ priority: 'background', source: [account] });

suite('hash queue', () => {
  test('runs two hashes at a time', async () => {
    const { add, end, started, countRunning } = createHashes();
    for (let index = 0; index < 10; index += 1) add(`${index}`, from('flood'));
    await nextTick();
    assert.equal(countRunning(), 2);
    await end();
    assert.equal(started.length, 10);
  });

  test('eleven networks with a hundred logins each delay another network by one round', async () => {
    const { add, end, started, failed } = createHashes();
    for (let index = 0; index < 1100; index += 1) add(`flood ${index}`, from(`network ${index % 11}`, `user ${index}`));
    add('honest', from('office'));
    await end(2 + 12);
    assert.ok(started.includes('honest'), `started: ${started.join(', ')}`);
    await end();
    assert.equal(started.length, 2 + 48, 'two ran and 48 waited');
    assert.equal(failed.size, 1101 - 50);
    for (const error of failed.values()) {
      assert.ok(error instanceof DomainError);
      assert.deepEqual([error.kind, error.details.retryAfterSeconds], ['unavailable', 2]);
    }
  });

  test('users of one network take turns', async () => {
    const { add, end, started } = createHashes();
    for (let index = 0; index < 100; index += 1) add(`flood ${index}`, from('proxy', 'attacked'));
    add('honest', from('proxy', 'honest'));
    await end(2 + 2);
    assert.ok(started.includes('honest'), `started: ${started.join(', ')}`);
  });

  test('a login that follows 200 from as many networks gets a place', async () => {
    const { add, end, started, failed } = createHashes();
    for (let index = 0; index < 200; index += 1) add(`flood ${index}`, from(`network ${index}`));
    add('honest', from('home'));
    await end();
    assert.ok(!failed.has('honest'));
    assert.equal(started.at(-1), 'honest');
    assert.equal(started.length, 50);
  });

  test('a network from which a login has succeeded comes before a flood from ever new networks', async () => {
    const { add, end, started, failed } = createHashes();
    for (let index = 0; index < 200; index += 1) add(`flood ${index}`, from(`network ${index}`));
    add('honest', fromKnown('office'));
    for (let index = 200; index < 400; index += 1) add(`flood ${index}`, from(`network ${index}`));
    await end(2 + 1);
    assert.deepEqual([started.indexOf('honest'), failed.has('honest')], [2, false]);
  });

  test('an import hashes one password at a time, and only if no login waits', async () => {
    const { add, end, started, countRunning } = createHashes();
    for (let index = 0; index < 300; index += 1) add(`import ${index}`, fromImport('account 1'));
    await nextTick();
    assert.equal(countRunning(), 1, 'one place is free for a login');
    add('login', from('office'));
    await nextTick();
    assert.equal(countRunning(), 2, 'the login does not wait');
    for (let index = 0; index < 3; index += 1) add(`other login ${index}`, from('office'));
    await end(4);
    const firstStarted = started.slice(0, 5);
    assert.deepEqual(firstStarted, ['import 0', 'login', 'other login 0', 'other login 1', 'other login 2']);
    await end();
    assert.equal(started.length, 304, 'the logins do not drop an import');
  });

  test('imports of accounts take turns', async () => {
    const { add, end, started } = createHashes();
    for (let index = 0; index < 100; index += 1) add(`large ${index}`, fromImport('account 1'));
    add('small', fromImport('account 2'));
    await end(3);
    assert.ok(started.includes('small'), `started: ${started.join(', ')}`);
  });

  test('does not start a hash that is no longer needed, and continues with the next', async () => {
    const { add, end, started, failed } = createHashes();
    const client = new AbortController();
    add('running', fromImport('account 1'));
    add('abandoned', { ...fromImport('account 2'), signal: client.signal });
    add('other', fromImport('account 3'));
    client.abort();
    await end();
    assert.deepEqual(started, ['running', 'other']);
    assert.equal((failed.get('abandoned') as DomainError).kind, 'unavailable');
  });
});
