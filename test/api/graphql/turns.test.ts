import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { buildSchema, type ExecutionResult, execute, parse, subscribe } from 'graphql';
import type { Context } from '../../../src/api/graphql/context.ts';
import { createRequestContext } from '../../../src/api/graphql/request-context.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { DocumentCache } from '../../../src/api/graphql-server/documents.ts';
import { createMutationRunner } from '../../../src/api/graphql-server/mutation-runner.ts';
import { resolveInTurns } from '../../../src/api/graphql-server/resolve-in-turns.ts';
import { OperationTurns, TurnScheduler } from '../../../src/api/graphql-server/turns.ts';
import { openTestInstallation, type TestInstallation } from '../../support/databases/databases.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const OPERATOR_FIELDS = `id name firstName pseudo email externalId roles chatEnabled callEnabled videoEnabled chatMaxNumber
  chatAndCall chatToVideo chatPriority callPriority videoPriority languageList languageAdmin ssoKey callConfig { type }
  group { id name } websites { id label url } skills { id name order } profile { status description city country }
  statistics { conversationNumber satisfactionRate connectedSeconds } live { connected
  chat { enabled available busy slotNumber slotMaxNumber routable blockedBy }
  call { enabled available busy slotNumber slotMaxNumber routable blockedBy } video { busy routable blockedBy } }`;
const OPERATORS = `{ operators(first: 100) { nodes { ${OPERATOR_FIELDS} } } }`;
const SKILLS = `{ skills(first: 100) { nodes { id name operators(first: 20) { nodes { id pseudo live { connected
  chat { available busy slotNumber routable blockedBy } call { busy routable } video { busy routable } } } } } } }`;

let installation: TestInstallation;
before(async () => {
  installation = await openTestInstallation();
  const { operators, skills, groups, database, caller } = installation;
  const transact = <T>(work: Parameters<typeof database.transaction<T>>[0]) => database.transaction(work);
  const group = await groups.create(transact, caller, { name: 'Team' });
  const skillList: number[] = [];
  for (let n = 0; n < 100; n += 1) skillList.push((await skills.create(transact, caller, { name: `Skill ${n}` })).id);
  for (let n = 0; n < 100; n += 1) {
    const input = { name: `Operator ${n}`, email: `operator${n}@example.com`, groupId: group.id };
    await operators.create(transact, caller, { ...input, skillList: skillList.slice(n % 80, (n % 80) + 20) });
  }
});
after(() => installation.end());

function createContext(turns: OperationTurns, accessLevel: 'admin' | 'expert' = 'admin') {
  const runner = createMutationRunner((work) => installation.database.transaction(work));
  const caller = { ...installation.caller, accessLevel, operatorId: 1, actor: { type: 'operator', id: 1 } } as const;
  return createRequestContext(caller, installation, runner, turns, { getBaseUrl: () => 'http://127.0.0.1' });
}

/** A scheduler whose clock the test controls: every look at it takes half of a turn, however fast the machine is. */
function createSlowScheduler(): TurnScheduler {
  let now = 0;
  return new TurnScheduler(() => {
    now += 1;
    return now;
  });
}

/** Counts the work of resolvers by how often they use the context: in all, and at most between two event loop turns. */
class Workload {
  total = 0;
  longest = 0;
  #current = 0;
  #isDone = false;

  watch(context: Context): Context {
    return new Proxy(context, {
      get: (target, name) => {
        if (name !== 'turns') this.#count();
        return Reflect.get(target, name);
      },
    });
  }

  async during(work: () => Promise<void>): Promise<void> {
    setImmediate(this.#startTurn);
    await work();
    this.#isDone = true;
  }

  #count(): void {
    this.total += 1;
    this.#current += 1;
    this.longest = Math.max(this.longest, this.#current);
  }

  readonly #startTurn = () => {
    this.#current = 0;
    if (!this.#isDone) setImmediate(this.#startTurn);
  };
}

function assertInTurns(t: TestContext, { total, longest }: Workload): void {
  t.diagnostic(`${longest} of ${total} resolvers between two turns of the event loop`);
  assert.ok(total > 500, `${total} resolvers`);
  assert.ok(longest < total / 5, `${longest} of ${total} resolvers without a turn of the event loop`);
}

const run = async (documents: DocumentCache, text: string, contextValue: object): Promise<ExecutionResult> => {
  const prepared = documents.prepare(text, null, {});
  assert.ok('document' in prepared, JSON.stringify(prepared));
  return documents.run(prepared, { schema, document: prepared.document, variableValues: {}, contextValue });
};

for (const [name, text] of [
  ['100 operators with all fields', OPERATORS],
  ['100 skills with 20 operators each', SKILLS],
] as const) {
  for (const accessLevel of ['admin', 'expert'] as const) {
    test(`${name}, for an ${accessLevel}: the event loop turns while the result is built`, async (t) => {
      const documents = new DocumentCache(schema);
      const scheduler = createSlowScheduler();
      let expected: unknown;
      for (let use = 0; use < 3; use += 1) {
        const workload = new Workload();
        const context = workload.watch(createContext(new OperationTurns(scheduler, 'caller'), accessLevel));
        await workload.during(async () => {
          const { data } = await run(documents, text, context);
          expected ??= data;
          assert.deepEqual(data, expected);
        });
        assertInTurns(t, workload);
      }
    });
  }
}

test('a statement reads a few hundred rows, and the event loop turns before the last one', async (t) => {
  const { operatorQuery } = installation;
  let turn = 0;
  const nextTurn = () => {
    turn += 1;
    immediate = setImmediate(nextTurn);
  };
  let immediate = setImmediate(nextTurn);
  t.after(() => clearImmediate(immediate));
  const reads: { turn: number; rows: number }[] = [];
  const sliceMembers = operatorQuery.sliceMembers.bind(operatorQuery);
  t.mock.method(operatorQuery, 'sliceMembers', (...args: Parameters<typeof sliceMembers>) => {
    const [, , ownerIds, , { limit }] = args;
    reads.push({ turn, rows: ownerIds.length * limit });
    return sliceMembers(...args);
  });
  await run(new DocumentCache(schema), SKILLS, createContext(new OperationTurns(createSlowScheduler(), 'caller')));
  const rowCounts = reads.map(({ rows }) => rows);
  assert.deepEqual(rowCounts, [400, 400, 400, 400, 400]);
  assert.ok(new Set(reads.map((read) => read.turn)).size > 1, JSON.stringify(reads));
});

test('the event loop turns while a result of a subscription is built', async (t) => {
  const workload = new Workload();
  const context = workload.watch(createContext(new OperationTurns(createSlowScheduler(), 'caller')));
  const text = `subscription { operatorLive { id skills { operators(first: 20) { nodes { ${OPERATOR_FIELDS} } } } } }`;
  const stream = await subscribe({ schema, document: parse(text), contextValue: context });
  assert.ok(Symbol.asyncIterator in stream);
  const next = stream.next();
  const caller = { ...installation.caller, operatorId: 5, actor: { type: 'operator', id: 5 } } as const;
  await workload.during(async () => {
    let available = false;
    const update = () => {
      available = !available;
      return installation.live.update((work) => installation.database.transaction(work), caller, 5, {
        chat: { available },
      });
    };
    const first = next.then((result) => result.value as ExecutionResult);
    let isReceived = false;
    first.then(() => {
      isReceived = true;
    });
    // Nothing signals that the subscription has started.
    await waitUntil('a change is received', async () => {
      if (!isReceived) await update();
      return isReceived;
    });
    assert.equal((await first).errors, undefined);
  });
  assertInTurns(t, workload);
  await stream.return(undefined);
});

/** Returns a function that waits for a step and spends time in it, and the callers in the order of their steps. */
function createStepLog() {
  let now = 0;
  const scheduler = new TurnScheduler(() => now);
  const order: string[] = [];
  const takeStep = async (caller: string, milliseconds = 1) => {
    await scheduler.wait(caller);
    order.push(caller);
    now += milliseconds;
  };
  return { order, takeStep };
}

test('the event loop turns between lists that were loaded together', async () => {
  const lists = resolveInTurns(buildSchema('type Query { rows: [Row!]! } type Row { id: Int! }'));
  let isDone = false;
  let [total, current, longest] = [0, 0, 0];
  const rows = Array.from({ length: 5 }, () => ({
    id: () => {
      total += 1;
      current += 1;
      longest = Math.max(longest, current);
      return 1;
    },
  }));
  const loaded = new Promise((resolve) => setImmediate(resolve, rows));
  const nextTurn = () => {
    current = 0;
    if (!isDone) setImmediate(nextTurn);
  };
  nextTurn();
  const aliases = Array.from({ length: 100 }, (_, n) => `a${n}: rows { id }`);
  const contextValue = { turns: new OperationTurns(createSlowScheduler(), 'caller') };
  await execute({
    schema: lists,
    document: parse(`{${aliases.join(' ')}}`),
    rootValue: { rows: () => loaded },
    contextValue,
  });
  isDone = true;
  assert.equal(total, 500);
  assert.ok(longest < 100, `${longest} of ${total} rows without a turn of the event loop`);
});

test('callers who wait take their steps in rotation', async () => {
  const { order, takeStep } = createStepLog();
  const callers = ['flood', 'flood', 'flood', 'flood', 'flood', 'one', 'two', 'one'];
  await Promise.all(callers.map((caller) => takeStep(caller)));
  assert.deepEqual(order, ['flood', 'one', 'two', 'flood', 'one', 'flood', 'flood', 'flood']);
});

test('callers whose steps take longer take fewer of them', async () => {
  const { order, takeStep } = createStepLog();
  const large = Array.from({ length: 3 }, () => takeStep('large', 3));
  await Promise.all([...large, ...Array.from({ length: 5 }, () => takeStep('small'))]);
  assert.deepEqual(order, ['large', 'small', 'small', 'small', 'large', 'small', 'small', 'large']);
});

test('a small operation does not wait for a caller with many, though its steps come one after another', async () => {
  const { order, takeStep } = createStepLog();
  const flood = Array.from({ length: 20 }, () => takeStep('flood'));
  await flood[9];
  const floodSteps = order.length;
  for (let n = 0; n < 3; n += 1) await takeStep('small');
  assert.ok(order.length - floodSteps <= 4, order.join(' '));
  await Promise.all(flood);
});

test('an operation is not delayed by the many operations of another caller', async () => {
  const documents = new DocumentCache(schema);
  const scheduler = createSlowScheduler();
  const finished: string[] = [];
  const start = async (caller: string, text: string) => {
    await run(documents, text, createContext(new OperationTurns(scheduler, caller)));
    finished.push(caller);
  };
  const flood = Array.from({ length: 8 }, () => start('flood', OPERATORS));
  await new Promise((resolve) => setImmediate(resolve));
  await start('one', OPERATORS);
  assert.deepEqual(finished, ['one']);
  await Promise.all(flood);
});
