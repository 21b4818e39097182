import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { restClient } from '../support/clients/rest.ts';
import { SECRET } from '../support/databases/postgres-database.ts';
import { type PostgresServer, startPostgres } from '../support/databases/postgres-server.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { until } from '../support/waiting/until.ts';

/** What the service promises, looked at on a quiet machine. */
const MAX_MS = process.env.FULL === '1' ? 3000 : Number.POSITIVE_INFINITY;

interface Try {
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
    SWITCHBOARD_SECRET: SECRET,
  };
  nodes = [await startSwitchboardProcess({ env })];
});
after(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await standby?.stop();
  await primary?.stop();
});

test('the primary fails and a standby takes its place: nodes that know both go on, and nothing acknowledged is lost', async (t) => {
  const journal: Try[] = [];
  let isOver = false;
  const writers = nodes.map((node, index) => write(node, index, journal, () => isOver));
  await until('20 were told', () => journal.length > 20);

  const failedAt = performance.now();
  await primary.shutDown('immediate');
  await until('the failure is noticed', () => journal.filter(({ status }) => status === 503).length > 5);
  await promote(standby);
  const promotedAt = performance.now();
  const before = journal.length;
  await until('all nodes write again', () =>
    nodes.every((_, index) =>
      journal.slice(before).some(({ label, status }) => label.startsWith(`${index}-`) && status === 201),
    ),
  );
  const backAfter = performance.now() - promotedAt;
  isOver = true;
  await Promise.all(writers);

  const acknowledged = journal.filter(({ status }) => status === 201).map(({ label }) => label);
  const refused = journal.filter(({ status }) => status !== 201);
  t.diagnostic(`away for ${(promotedAt - failedAt).toFixed(0)} ms, then back after ${backAfter.toFixed(0)} ms`);
  t.diagnostic(
    `acknowledged ${acknowledged.length}, refused ${refused.length}, slowest ${Math.max(...journal.map(({ ms }) => ms)).toFixed(0)} ms`,
  );
  assert.deepEqual(
    refused.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null),
    [],
  );
  assert.ok(refused.length > 0, 'nobody noticed');
  assert.ok(
    refused.every(({ ms }) => ms < MAX_MS),
    'somebody was kept waiting',
  );
  const kept = new Set(await labels(nodes[0] as SwitchboardProcess));
  assert.deepEqual(
    acknowledged.filter((label) => !kept.has(label)),
    [],
  );
});

/** A standby that must have every commit before it counts. Made from the files of the primary, as a base backup is. */
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
      execFileSync('sh', ['-c', copy, 'copy', data, files.data], files.as);
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

/** Makes a website after the other through one node, and writes down what it was told. */
async function write(node: SwitchboardProcess, index: number, journal: Try[], isOver: () => boolean): Promise<void> {
  for (let number = 0; !isOver(); number += 1) {
    const label = `${index}-${number}`;
    const start = performance.now();
    const answer = await fetch(`${node.url}/api/2/website`, {
      method: 'POST',
      headers: { 'X-API-Key': node.key },
      body: new URLSearchParams({ label, url: `https://site-${label}.example.com` }),
    });
    await answer.arrayBuffer();
    journal.push({
      label,
      status: answer.status,
      ms: performance.now() - start,
      retryAfter: answer.headers.get('retry-after'),
    });
    if (answer.status !== 201) await wait(50);
  }
}

async function labels(node: SwitchboardProcess): Promise<string[]> {
  const rest = restClient(node.url, node.key);
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await rest.get(`/website?fields[]=label&limit=100&page=${page}`);
    found.push(...body.data.map(({ label }: { label: string }) => label));
    if (page >= body.pagination.pages) return found;
  }
}
