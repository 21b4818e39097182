import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { createAccess } from '../core/access/access.ts';
import type { HashCost } from '../core/access/passwords.ts';
import { InstallationSecrets } from '../core/access/secrets.ts';
import { createAdministration } from '../core/administration/administration.ts';
import { createAttachments } from '../core/attachments/attachments.ts';
import { createEngine } from '../core/engine/engine.ts';
import { createEvents } from '../core/events/events.ts';
import { createReports } from '../core/reports/reports.ts';
import { Signals } from '../core/signals/signals.ts';
import { createUpkeep } from '../core/upkeep/upkeep.ts';
import { createVisitors } from '../core/visitors/visitors.ts';
import { createWebhooks } from '../core/webhooks/webhooks.ts';
import type { Clock, Database } from '../storage/database.ts';
import { DatabaseUnavailable } from '../storage/errors.ts';
import { type FinishOptions, finishMigrations } from '../storage/finish-migrations.ts';
import { migrate } from '../storage/migrate.ts';
import { readWorkState } from '../storage/migration-work.ts';
import { PostgresDatabase, type PostgresOptions } from '../storage/postgres/postgres-database.ts';
import { SqliteDatabase, type SqliteOptions } from '../storage/sqlite/sqlite-database.ts';
import { retryWhileStarting } from './retry-while-starting.ts';
import { readOrCreateSecret } from './secret-file.ts';

/** The database and all services, grouped by layer. Shared by the server and the command line. */
export type Installation = Awaited<ReturnType<typeof openInstallation>>;

export interface OpenOptions {
  /** Replaces the database clock, for tests. */
  readonly clock?: Clock;
  /** Statement timeout on PostgreSQL, and the longest time that a write waits for earlier writes on either database. */
  readonly statementMs?: number;
  /** For tests: reads that were sent ahead on PostgreSQL are repeated and compared. */
  readonly onStaleRead?: PostgresOptions['onStaleRead'];
  /** Cost of hashing passwords; lower in tests. */
  readonly hashCost?: HashCost;
  /** Receives warnings during startup. */
  readonly warn?: (message: string) => void;
}

export async function openInstallation(config: Config, options: OpenOptions = {}) {
  const { clock, warn = console.error } = options;
  const database = openDatabase(config, options);
  const migrated = await retryWhileStarting(() => withMigrationDatabase(database, config, migrate)).catch(
    async (error) => {
      await database.close();
      throw config.databaseFile === undefined ? toConfigError(error) : error;
    },
  );
  const { SWITCHBOARD_SECRET, databaseFile = '' } = config;
  const secrets = new InstallationSecrets(
    SWITCHBOARD_SECRET ?? readOrCreateSecret(databaseFile, migrated.length > 0, warn),
  );
  const access = createAccess(database, secrets, options.hashCost);
  const events = createEvents(database);
  const signals = new Signals(database);
  const engine = createEngine(database, signals, events.log);
  return {
    database,
    migrated,
    /** Does what the migrations left to the background. Returns whether anything is left for later. */
    finishMigrations: async (finishOptions: FinishOptions): Promise<boolean> => {
      if ((await readWorkState(database.read)) === 'due')
        await withMigrationDatabase(database, config, (other) => finishMigrations(other, finishOptions));
      return (await readWorkState(database.read)) !== 'done';
    },
    access,
    events,
    signals,
    engine,
    webhooks: createWebhooks(database, secrets, config.SWITCHBOARD_WEBHOOK_PRIVATE === '1'),
    administration: createAdministration(database, access),
    reports: createReports(database, clock),
    visitors: createVisitors({
      database,
      secrets,
      log: events.log,
      skillAvailabilities: engine.skillAvailabilities,
      maxAttachmentBytes: config.SWITCHBOARD_ATTACHMENT_MEGABYTES * 1e6,
      limits: {
        sessionsPerAddress: config.SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE,
        startsPerVisitor: config.SWITCHBOARD_VISITOR_STARTS_PER_MINUTE,
        startsPerAddress: config.SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE,
        messagesPerVisitor: config.SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE,
        renewalsPerVisitor: config.SWITCHBOARD_VISITOR_RENEWALS_PER_MINUTE,
        renewalsPerAddress: config.SWITCHBOARD_VISITOR_ADDRESS_RENEWALS_PER_MINUTE,
        contextsPerVisitor: config.SWITCHBOARD_VISITOR_CONTEXTS_PER_MINUTE,
        messagesLeftPerAddress: config.SWITCHBOARD_VISITOR_MESSAGES_LEFT_PER_HOUR,
      },
    }),
    attachments: createAttachments(database, secrets, {
      maxBytes: config.SWITCHBOARD_ATTACHMENT_MEGABYTES * 1e6,
      accountBytes: config.SWITCHBOARD_ACCOUNT_ATTACHMENT_MEGABYTES * 1e6,
      perUploader: config.SWITCHBOARD_UPLOADS_PER_MINUTE,
      perAddress: config.SWITCHBOARD_ADDRESS_UPLOADS_PER_MINUTE,
      atOncePerAddress: config.SWITCHBOARD_ADDRESS_UPLOADS_AT_ONCE,
    }),
    upkeep: createUpkeep(database, {
      events: config.SWITCHBOARD_EVENT_DAYS,
      history: config.SWITCHBOARD_HISTORY_DAYS,
      idleVisitors: config.SWITCHBOARD_VISITOR_DAYS,
    }),
  };
}

function openDatabase(config: Config, { clock, statementMs, onStaleRead }: OpenOptions): Database {
  const common = { slowReadMs: config.SWITCHBOARD_SLOW_READ_TIMEOUT * 1000, ...(clock && { clock }) };
  if (config.databaseFile === undefined)
    return new PostgresDatabase(config.DATABASE_URL, {
      ...common,
      ...(statementMs && { statementMs }),
      onStaleRead,
    });
  return openFile(config.databaseFile, { ...common, ...(statementMs && { maxWaitMs: statementMs }) });
}

/** Migrating a large database takes long, and another node may be doing it right now. */
const MIGRATION_TIMEOUT_MS = 3_600_000;

/** On a server, migrations have their own connection: a slow step must not count as a server that does not respond. */
async function withMigrationDatabase<T>(
  database: Database,
  { databaseFile, DATABASE_URL }: Config,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (databaseFile !== undefined) return work(database);
  const migrationDatabase = new PostgresDatabase(DATABASE_URL, { statementMs: MIGRATION_TIMEOUT_MS, connections: 1 });
  return work(migrationDatabase).finally(() => migrationDatabase.close());
}

/** At startup an unreachable server is a configuration error; later it is retried. */
function toConfigError(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable)) return error;
  const { message, code } = (error.cause ?? error) as { message: string; code?: string };
  return new ConfigError([`DATABASE_URL names a PostgreSQL server that cannot be used: ${message || code}.`]);
}

/** Fails with a clear message, and leaves the file unchanged, if it cannot be used. */
function openFile(databaseFile: string, options: SqliteOptions): SqliteDatabase {
  mkdirSync(dirname(databaseFile), { recursive: true, mode: 0o700 });
  try {
    for (const file of [databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`]) {
      if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
    }
    return new SqliteDatabase(databaseFile, options);
  } catch (error) {
    throw new ConfigError([`DATABASE_URL names ${databaseFile}, which cannot be used: ${(error as Error).message}.`]);
  }
}
