import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { extractPreviousVersion, previousVersionMissing } from '../../test/support/nodes/previous-version.ts';
import { type Server, startNode } from '../processes.ts';
import { showProgress } from '../progress.ts';
import { createPreviousDatabase, MESSAGES_PER_CONVERSATION } from './previous-database.ts';
import { type KindResult, UpgradeLoad } from './upgrade-load.ts';

/** Migrates a database of the previous version while requests arrive. */

export interface UpgradeResult {
  /** From the start of the new node until it was ready, with the statements of the migrations. */
  readonly startMs: number;
  /** From then until the first pass of all fills was finished. */
  readonly finishMs: number;
  readonly changedRows: number;
  readonly hadPreviousNode: boolean;
  readonly during: readonly KindResult[];
  /** The same load afterwards, for comparison. */
  readonly afterwards: readonly KindResult[];
  readonly lostMessages: number;
}

export interface UpgradeOptions {
  /** Of a PostgreSQL database that exists and is empty; a file if undefined. */
  readonly postgresUrl?: string | undefined;
  readonly messages: number;
  readonly cache: string;
  /** How many requests are sent after the migration, for comparison. */
  readonly requestsAfterwards: number;
}

const ENV = {
  SWITCHBOARD_SECRET: 'the secret of the migrated installation',
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
};
const POLL_MS = 100;

export async function upgradeUnderLoad(options: UpgradeOptions): Promise<UpgradeResult> {
  const { postgresUrl, messages, cache } = options;
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-upgrade-'));
  const address = postgresUrl ?? `sqlite:${join(folder, 'switchboard.db')}`;
  const nodes: Server[] = [];
  const previous = postgresUrl && !previousVersionMissing ? extractPreviousVersion() : undefined;
  const load = new UpgradeLoad([], Math.ceil(messages / MESSAGES_PER_CONVERSATION));
  let data: StoredData | undefined;
  try {
    await createPreviousDatabase(address, messages, cache);
    data = openStoredData(address);
    if (previous) {
      nodes.push(await startNode(address, join(folder, 'old'), { program: [previous.main, 'serve'], env: ENV }));
      load.ports = nodes.map(({ port }) => port);
      load.start();
      await waitFor(() => load.requests > 100);
      load.takeResults(); // the first requests of a node are slower
    }
    showProgress('starting a node of this version');
    const startedAt = performance.now();
    nodes.push(await startNode(address, join(folder, 'new'), { env: ENV }));
    const readyAt = performance.now();
    load.ports = nodes.map(({ port }) => port);
    if (!previous) load.start();
    await waitForFirstPass(data);
    const finishMs = performance.now() - readyAt;
    const during = load.takeResults();
    await waitFor(() => load.requests > options.requestsAfterwards);
    const afterwards = load.takeResults();
    await load.stop();
    return {
      ...{ startMs: readyAt - startedAt, finishMs, during, afterwards, hadPreviousNode: previous !== undefined },
      changedRows: (await data.readProgress()).changedRows,
      lostMessages: await countLost(data, load),
    };
  } finally {
    await load.stop();
    await data?.close();
    for (const node of nodes) await node.stop();
    previous?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function waitForFirstPass(data: StoredData): Promise<void> {
  let shown = 0;
  await waitFor(async () => {
    const { unfinished, changedRows } = await data.readProgress();
    if (performance.now() > shown) {
      showProgress(`in the background: ${changedRows.toLocaleString('en')} rows changed`);
      shown = performance.now() + 2000;
    }
    return unfinished === 0;
  });
}

async function countLost(data: StoredData, { acknowledged }: UpgradeLoad): Promise<number> {
  let lost = 0;
  for (const [conversation, sent] of acknowledged) {
    const stored = new Set(await data.listClientIds(Number(conversation)));
    lost += sent.filter((clientId) => !stored.has(clientId)).length;
  }
  return lost;
}

async function waitFor(isMet: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isMet())) await setTimeout(POLL_MS);
}

/** Reads beside the nodes. */
interface StoredData {
  readProgress(): Promise<{ readonly unfinished: number; readonly changedRows: number }>;
  listClientIds(conversation: number): Promise<string[]>;
  close(): Promise<void>;
}

const PROGRESS = `select count(case when finished_at is null and (kind = 'index' or pass = 1) then 1 end) as unfinished,
  coalesce(sum(changed_rows), 0) as changed from migration_work`;
const CLIENT_IDS =
  'select client_id from messages where account_id = 1 and client_id is not null and conversation_id = ';

function openStoredData(address: string): StoredData {
  const query = address.startsWith('sqlite:') ? openFile(address.slice('sqlite:'.length)) : openServer(address);
  return {
    readProgress: async () => {
      const [row] = await query.all(PROGRESS);
      return { unfinished: Number(row?.unfinished), changedRows: Number(row?.changed) };
    },
    listClientIds: async (conversation) =>
      (await query.all(`${CLIENT_IDS}${conversation}`)).map((row) => String(row.client_id)),
    close: query.close,
  };
}

interface Queries {
  all(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

function openFile(file: string): Queries {
  const database = new DatabaseSync(file, { readOnly: true });
  return { all: async (text) => database.prepare(text).all(), close: async () => database.close() };
}

function openServer(address: string): Queries {
  const server = postgres(address, { max: 1, onnotice: () => undefined });
  return { all: async (text) => [...(await server.unsafe(text))], close: () => server.end({ timeout: 1 }) };
}
