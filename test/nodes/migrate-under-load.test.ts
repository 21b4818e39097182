import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { upgradeUnderLoad } from '../../bench/migration/upgrade.ts';
import type { Failure } from '../../bench/migration/upgrade-load.ts';
import { type LatencyProbe, startLatencyProbe } from '../support/databases/latency-probe.ts';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
} from '../support/databases/postgres-database.ts';

/** What `npm run migrate-under-load` does with a million messages. */
const MESSAGES = 3000;

const cache = mkdtempSync(join(tmpdir(), 'switchboard-upgrade-cache-'));
after(() => rmSync(cache, { recursive: true, force: true }));

/** A node responds with 503 after 800 ms; a database this slow for a trivial query is itself short of CPU. */
const STARVED_MS = 200;

async function assertUpgrades(postgresUrl?: string, probe?: LatencyProbe): Promise<void> {
  const result = await upgradeUnderLoad({ postgresUrl, messages: MESSAGES, cache, requestsAfterwards: 100 });
  const failures = [...result.during, ...result.afterwards].flatMap((kind) => kind.failures);
  const isStarved = ({ text, sentAt, milliseconds }: Failure) =>
    text.startsWith('503') && (probe?.maxLatencyMs(sentAt, sentAt + milliseconds) ?? 0) > STARVED_MS;
  assert.deepEqual(
    failures.filter((failure) => !isStarved(failure)),
    [],
  );
  assert.equal(result.lostMessages, 0);
  assert.equal(result.changedRows, MESSAGES / 10);
}

test('sqlite: a database of the previous version is migrated under load', () => assertUpgrades());

test('postgres: a database of the previous version is migrated under load', {
  skip: postgresServerUrl === undefined,
}, async () => {
  const url = databaseUrlOf(`${DATABASE_PREFIX}upgrade_${process.pid}`);
  await createDatabase(url, { empty: true });
  const server = postgres(url, { max: 1, onnotice: () => undefined });
  const probe = startLatencyProbe(server);
  try {
    await assertUpgrades(url, probe);
  } finally {
    await probe.stop();
    await server.end({ timeout: 1 });
    await dropDatabase(url);
  }
});
