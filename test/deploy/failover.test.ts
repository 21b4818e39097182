import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { restClient } from '../support/clients/rest.ts';
import { TEST_SECRET } from '../support/databases/postgres-database.ts';
import { type PostgresServer, startPostgres } from '../support/databases/postgres-server.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';

/** The documented limit, checked only in full runs on a quiet machine. */
const MAX_RESPONSE_MS = process.env.FULL === '1' ? 3000 : Number.POSITIVE_INFINITY;

interface Attempt {
  readonly label: string;
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | null;
}

let primary: PostgresServer;
let standby: PostgresServer;
let nodes: SwitchboardProcess[] = [];

before(async () => {
  await startPair();
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join();
  const env = {
    DATABASE_URL: `postgres://switchboard@${hosts}/postgres?target_session_attrs=primary`,
    SWITCHBOARD_SECRET: TEST_SECRET,
  };
  nodes = [await startSwitchboardProcess({ env })];
});
after(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await standby?.stop();
  await primary?.stop();
});

test('after a failover to the standby the nodes continue and no acknowledged write is lost', async (t) => {
  const journal: Attempt[] = [];
  let isDone = false;
  const writers = nodes.map((node, index) => writeContinuously(node, index, journal, () => isDone));
  await waitUntil('20 responses', () => journal.length > 20);

  const failedAt = performance.now();
  await primary.shutDown('immediate');
  await waitUntil('the failure is detected', () => journal.filter(({ status }) => status === 503).length > 5);
  await promote(standby);
  const promotedAt = performance.now();
  const before = journal.length;
  await waitUntil('all nodes write again', () =>
    nodes.every((_, index) =>
      journal.slice(before).some(({ label, status }) => label.startsWith(`${index}-`) && status === 201),
    ),
  );
  const recoveryMs = performance.now() - promotedAt;
  isDone = true;
  await Promise.all(writers);

  const acknowledged = journal.filter(({ status }) => status === 201).map(({ label }) => label);
  const refused = journal.filter(({ status }) => status !== 201);
  t.diagnostic(`unavailable for ${(promotedAt - failedAt).toFixed(0)} ms, recovered after ${recoveryMs.toFixed(0)} ms`);
  t.diagnostic(
    `acknowledged ${acknowledged.length}, refused ${refused.length}, slowest ${Math.max(...journal.map(({ ms }) => ms)).toFixed(0)} ms`,
  );
  assert.deepEqual(
    refused.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null),
    [],
  );
  assert.ok(refused.length > 0, 'no request failed');
  assert.ok(
    refused.every(({ ms }) => ms < MAX_RESPONSE_MS),
    'a refused request took too long',
  );
  const stored = new Set(await readLabels(nodes[0] as SwitchboardProcess));
  assert.deepEqual(
    acknowledged.filter((label) => !stored.has(label)),
    [],
  );
});

/** Starts a primary and a synchronous standby, which is created from the primary's files like a base backup. */
async function startPair(): Promise<void> {
  let data = '';
  primary = await startPostgres({
    settings: ['synchronous_commit=on', 'synchronous_standby_names=ANY 1 (*)'],
    prepare: (files) => {
      data = files.data;
    },
  });
  await primary.shutDown();
  const { port } = new URL(primary.url);
  const starting = startPostgres({
    settings: [`primary_conninfo=host=127.0.0.1 port=${port} user=switchboard`],
    prepare: (files) => {
      const copy = 'rm -rf "$2"/* && cp -a "$1"/. "$2" && touch "$2/standby.signal"';
      execFileSync('sh', ['-c', copy, 'copy', data, files.data], files.spawnOptions);
    },
  });
  await Promise.all([
    primary.startAgain(),
    starting.then((server) => {
      standby = server;
    }),
  ]);
}

async function promote({ url }: PostgresServer): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql`select pg_promote()`;
  await sql.end();
}

/** Creates websites one after another through one node and records the responses. */
async function writeContinuously(
  node: SwitchboardProcess,
  index: number,
  journal: Attempt[],
  isDone: () => boolean,
): Promise<void> {
  for (let number = 0; !isDone(); number += 1) {
    const label = `${index}-${number}`;
    const start = performance.now();
    const response = await fetch(`${node.url}/api/2/website`, {
      method: 'POST',
      headers: { 'X-API-Key': node.key },
      body: new URLSearchParams({ label, url: `https://site-${label}.example.com` }),
    });
    await response.arrayBuffer();
    journal.push({
      label,
      status: response.status,
      ms: performance.now() - start,
      retryAfter: response.headers.get('retry-after'),
    });
    if (response.status !== 201) await wait(50);
  }
}

async function readLabels(node: SwitchboardProcess): Promise<string[]> {
  const rest = restClient(node.url, node.key);
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await rest.get(`/website?fields[]=label&limit=100&page=${page}`);
    found.push(...body.data.map(({ label }: { label: string }) => label));
    if (page >= body.pagination.pages) return found;
  }
}
