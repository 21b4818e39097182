import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { Accounts } from '../core/access/accounts.ts';
import { ApiKeys } from '../core/access/api-keys.ts';
import { IdempotencyKeys } from '../core/access/idempotency.ts';
import { Login } from '../core/access/login.ts';
import { LoginLimits } from '../core/access/login-limits.ts';
import { type HashCost, Passwords } from '../core/access/passwords.ts';
import { RateLimits } from '../core/access/rate-limits.ts';
import { InstallationSecrets } from '../core/access/secrets.ts';
import { SingleSignOn } from '../core/access/single-sign-on.ts';
import { Tokens } from '../core/access/tokens.ts';
import { Viewers } from '../core/access/viewers.ts';
import { OperatorImport } from '../core/administration/operator-import.ts';
import { OperatorService } from '../core/administration/operator-service.ts';
import { Profiles } from '../core/administration/profile.ts';
import { TagService } from '../core/administration/tag-service.ts';
import { TreeService } from '../core/administration/tree-service.ts';
import { WebsiteService } from '../core/administration/website-service.ts';
import { ConversationQuery } from '../core/engine/conversations/conversation-query.ts';
import { ConversationService } from '../core/engine/conversations/conversation-service.ts';
import { MessageQuery } from '../core/engine/conversations/message-query.ts';
import { SatisfactionQuery } from '../core/engine/conversations/satisfaction-query.ts';
import { LiveService } from '../core/engine/presence/live-service.ts';
import { RoutingExplained } from '../core/engine/routing/explain.ts';
import { Clockwork } from '../core/engine/scheduler/scheduler.ts';
import { Audit } from '../core/events/audit.ts';
import { EventLog } from '../core/events/event-log.ts';
import { LivePast } from '../core/live/live-past.ts';
import { SkillAvailabilities } from '../core/live/skill-availability.ts';
import { OperatorQuery } from '../core/operators/operator-query.ts';
import { ConnectedTime } from '../core/reports/connected-time.ts';
import { RestUsage } from '../core/reports/rest-usage.ts';
import { Statistics } from '../core/reports/statistics.ts';
import { Retention } from '../core/upkeep/retention.ts';
import { VisitorErasure } from '../core/visitors/erase.ts';
import { OwnConversations } from '../core/visitors/own-conversations.ts';
import { VisitorLimits } from '../core/visitors/visitor-limits.ts';
import { VisitorQuery } from '../core/visitors/visitor-query.ts';
import { VisitorService } from '../core/visitors/visitor-service.ts';
import { VisitorSessions } from '../core/visitors/visitor-sessions.ts';
import { VisitorWebsites } from '../core/visitors/visitor-websites.ts';
import { WebsiteAvailability } from '../core/visitors/website-availability.ts';
import { Deliveries } from '../core/webhooks/deliveries.ts';
import { WebhookService } from '../core/webhooks/webhook-service.ts';
import type { Clock, Database } from '../storage/database.ts';
import { DatabaseUnavailable } from '../storage/errors.ts';
import { migrate } from '../storage/migrate.ts';
import { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { SqliteDatabase, type SqliteOptions } from '../storage/sqlite/sqlite-database.ts';
import { withPatience } from './start-patience.ts';

/** The database and every service over it: what the server and the command line have in common. */
export type Installation = Awaited<ReturnType<typeof openInstallation>>;

export interface OpenOptions {
  /** Another clock than the database's own, for tests. */
  readonly clock?: Clock;
  /** How long a statement may take on PostgreSQL, and how long a change may wait for others on either database. */
  readonly statementMs?: number;
  /** What a guess at a new password costs; less in tests, which make very many. */
  readonly hashCost?: HashCost;
  /** Where a warning at the start is shown. */
  readonly warn?: (message: string) => void;
}

export async function openInstallation(config: Config, options: OpenOptions = {}) {
  const { clock, warn = console.error } = options;
  const database = openDatabase(config, options);
  const migrated = await withPatience(() => brought(database, config)).catch(async (error) => {
    await database.close();
    throw config.databaseFile === undefined ? unreachable(error) : error;
  });
  const { SWITCHBOARD_SECRET, databaseFile = '' } = config;
  const secrets = new InstallationSecrets(SWITCHBOARD_SECRET ?? keptSecret(databaseFile, migrated.length > 0, warn));
  const passwords = new Passwords(options.hashCost);
  const limits = new LoginLimits(database);
  const tokens = new Tokens(database);
  const events = new EventLog(database);
  const visitorSessions = new VisitorSessions(database, secrets);
  const skillAvailabilities = new SkillAvailabilities(database);
  const livePast = new LivePast(database);
  const operatorQuery = new OperatorQuery(database);
  const operators = new OperatorService({ database, limits, passwords, secrets, query: operatorQuery });
  return {
    database,
    migrated,
    secrets,
    passwords,
    limits,
    tokens,
    accounts: new Accounts(database),
    apiKeys: new ApiKeys(database),
    restUsage: new RestUsage(database, clock ?? Date.now),
    login: new Login({ database, limits, passwords, tokens }),
    singleSignOn: new SingleSignOn({ database, secrets, limits, tokens }),
    operators,
    operatorQuery,
    imports: new OperatorImport(operators),
    profiles: new Profiles(database),
    live: new LiveService(database),
    livePast,
    routingExplained: new RoutingExplained(database, livePast),
    statistics: new Statistics(database),
    connectedTime: new ConnectedTime(database),
    conversations: new ConversationService(database),
    conversationQuery: new ConversationQuery(database),
    messageQuery: new MessageQuery(database),
    clockwork: new Clockwork(database),
    visitorQuery: new VisitorQuery(database),
    satisfactionQuery: new SatisfactionQuery(database),
    visitors: new VisitorService(database),
    visitorSessions,
    ownConversations: new OwnConversations(database),
    visitorWebsites: new VisitorWebsites(database),
    visitorLimits: new VisitorLimits(new RateLimits(database), {
      sessionsPerAddress: config.SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE,
      startsPerVisitor: config.SWITCHBOARD_VISITOR_STARTS_PER_MINUTE,
      startsPerAddress: config.SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE,
      messagesPerVisitor: config.SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE,
    }),
    visitorErasure: new VisitorErasure(visitorSessions),
    websiteAvailability: new WebsiteAvailability(skillAvailabilities, events),
    tags: new TagService(database),
    websites: new WebsiteService(database, secrets),
    groups: new TreeService(database, 'group'),
    skills: new TreeService(database, 'skill'),
    skillAvailabilities,
    events,
    audit: new Audit(database, events),
    retention: new Retention(database, {
      events: config.SWITCHBOARD_EVENT_DAYS,
      history: config.SWITCHBOARD_HISTORY_DAYS,
    }),
    viewers: new Viewers(database),
    idempotency: new IdempotencyKeys(database, secrets),
    webhooks: new WebhookService({ database, secrets, allowPrivate: config.SWITCHBOARD_WEBHOOK_PRIVATE === '1' }),
    deliveries: new Deliveries(database),
  };
}

function openDatabase(config: Config, { clock, statementMs }: OpenOptions): Database {
  const common = { slowReadMs: config.SWITCHBOARD_SLOW_READ_TIMEOUT * 1000, ...(clock && { clock }) };
  if (config.databaseFile === undefined)
    return new PostgresDatabase(config.DATABASE_URL, { ...common, ...(statementMs && { statementMs }) });
  return openFile(config.databaseFile, { ...common, ...(statementMs && { longestWaitMs: statementMs }) });
}

/** To migrate a large database takes long, and on another node somebody may be at it. */
const MIGRATION_MS = 3_600_000;

/** Brings the database to this version. */
async function brought(database: Database, { databaseFile, DATABASE_URL }: Config): Promise<string[]> {
  if (databaseFile !== undefined) return migrate(database);
  const patient = new PostgresDatabase(DATABASE_URL, { statementMs: MIGRATION_MS, connections: 1 });
  return migrate(patient).finally(() => patient.close());
}

/** A server that is not there at the start is told in words; later it is waited for. */
function unreachable(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable)) return error;
  const { message, code } = (error.cause ?? error) as { message: string; code?: string };
  return new ConfigError([`DATABASE_URL names a PostgreSQL that cannot be used: ${message || code}.`]);
}

/** A file that cannot be used is refused in words, before anything is done with it. */
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

export function secretFile(databaseFile: string): string {
  return join(dirname(databaseFile), 'secret');
}

/** The secret beside the embedded database, made with it. */
function keptSecret(databaseFile: string, isNew: boolean, warn: (message: string) => void): string {
  const file = secretFile(databaseFile);
  if (!existsSync(file)) {
    if (!isNew) {
      warn(
        `The secret ${file} is missing; a new one is made. Every single sign-on key is another from now on, and webhooks need new secrets.`,
      );
    }
    try {
      writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
    }
  }
  return readFileSync(file, 'utf8').trim();
}
