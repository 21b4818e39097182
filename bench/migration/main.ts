import { Command, InvalidArgumentError, Option } from 'commander';
import { startPostgres } from '../../test/support/databases/postgres-server.ts';
import { prepareCacheFolder } from '../cache-folder.ts';
import { endProgress } from '../progress.ts';
import { formatInteger, formatMs, printSection } from '../tables.ts';
import { type UpgradeOptions, type UpgradeResult, upgradeUnderLoad } from './upgrade.ts';

const DATABASES = ['sqlite', 'postgres'] as const;
const REQUESTS_AFTERWARDS = 2000;

const program = new Command('npm run migrate-under-load --')
  .description(
    'Creates a database of the previous version with many messages, starts a node of this version on it, and shows ' +
      'what reads, messages and starts of conversations waited while it was migrated. On PostgreSQL a node of the ' +
      'previous version serves beside it, if its code is in the git history. ' +
      'With 1,000,000 messages it takes some minutes, and about 1 GB of disk for each database. ' +
      'Run it on an idle machine. The exit code is 1 if a request failed or a message was lost.',
  )
  .option('--messages <count>', 'how many messages the database has', readCount, 1_000_000)
  .addOption(new Option('--only <database>', 'only this database').choices(DATABASES))
  .parse();

const { messages, only } = program.opts<{ messages: number; only?: (typeof DATABASES)[number] }>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const common = { messages, cache: prepareCacheFolder(), requestsAfterwards: REQUESTS_AFTERWARDS };
if (only !== 'postgres') report('embedded database', await upgradeUnderLoad(common));
if (only !== 'sqlite') report('PostgreSQL', await upgradeOnPostgres(common));

async function upgradeOnPostgres(options: UpgradeOptions): Promise<UpgradeResult> {
  const server = await startPostgres();
  try {
    return await upgradeUnderLoad({ ...options, postgresUrl: server.url });
  } finally {
    await server.stop();
  }
}

function report(database: string, result: UpgradeResult): void {
  endProgress();
  const { startMs, finishMs, changedRows, during, afterwards, lostMessages, hadPreviousNode } = result;
  const seconds = finishMs / 1000;
  printSection(`${database}, ${formatInteger(messages)} messages: waits in ms`, [
    ['', 'requests', 'failed', 'median', 'p99', 'longest', 'afterwards: median', 'p99', 'longest'],
    ...during.map((kind, index) => [
      ...[kind.kind, formatInteger(kind.requests), String(kind.failures.length)],
      ...[kind.medianMs, kind.p99Ms, kind.longestMs].map(formatMs),
      ...[afterwards[index]?.medianMs, afterwards[index]?.p99Ms, afterwards[index]?.longestMs].map((value) =>
        formatMs(value ?? 0),
      ),
    ]),
  ]);
  console.log(
    `\nThe new node was ready after ${(startMs / 1000).toFixed(1)} s${hadPreviousNode ? ', beside one of the previous version' : ''}. ` +
      `The background work took ${seconds.toFixed(1)} s: ${formatInteger(messages / seconds)} rows a second, of which ` +
      `${formatInteger(changedRows)} were changed. Lost messages: ${lostMessages}.`,
  );
  const failures = [...during, ...afterwards].flatMap((kind) => kind.failures.map(({ text }) => text));
  for (const failure of new Set(failures.slice(0, 5))) console.log(`failed: ${failure}`);
  if (failures.length > 0 || lostMessages > 0) process.exitCode = 1;
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('Give a number of at least 1.');
  return count;
}
