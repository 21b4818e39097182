import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { settings } from '../config.ts';
import type { CopyTarget } from '../storage/copy/copy-endpoint.ts';
import { ConnectionLost, PostgresEndpoint } from '../storage/copy/postgres-endpoint.ts';
import { SqliteEndpoint } from '../storage/copy/sqlite-endpoint.ts';
import type { Database } from '../storage/database.ts';
import { DatabaseUnavailable } from '../storage/errors.ts';
import { migrate } from '../storage/migrate.ts';
import { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { acquireServerLock } from '../storage/sqlite/server-lock.ts';
import { SqliteDatabase } from '../storage/sqlite/sqlite-database.ts';
import { CommandFailed } from './report.ts';

/** Location of a source or target. The name contains no password. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly file: string; readonly name: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly name: string };

export interface OpenEndpoint {
  readonly endpoint: CopyTarget;
  readonly name: string;
  close(): Promise<void>;
}

export function parseAddress(option: string, text: string): DatabaseAddress {
  const parsed = settings.shape.DATABASE_URL.safeParse(text);
  if (!parsed.success) throw new CommandFailed(`${option} ${parsed.error.issues[0]?.message}.`);
  if (text.startsWith('sqlite:')) {
    const file = resolve(text.slice('sqlite:'.length));
    return { kind: 'sqlite', file, name: `sqlite:${file}` };
  }
  const url = URL.parse(text);
  if (!url) throw new CommandFailed(`${option} is not a valid PostgreSQL address.`);
  return { kind: 'postgres', url: text, name: `postgres://${url.host}${url.pathname}` };
}

export function requireDifferentDatabases(from: DatabaseAddress, to: DatabaseAddress): void {
  const isSameFile =
    from.kind === 'sqlite' && to.kind === 'sqlite' ? resolveFile(from.file) === resolveFile(to.file) : false;
  if (isSameFile || from.name === to.name) throw new CommandFailed('--from and --to name the same database.');
}

/** Opens a database exclusively: no service or other copy can use it at the same time. */
export async function openEndpoint(
  address: DatabaseAddress,
  options: { readonly readOnly: boolean; readonly ignoreConnections: boolean },
): Promise<OpenEndpoint> {
  try {
    return address.kind === 'sqlite'
      ? openSqliteEndpoint(address, options)
      : await openPostgresEndpoint(address, options);
  } catch (error) {
    throw toCommandFailure(error, `${address.name} cannot be used`);
  }
}

export async function migrateEndpoint(address: DatabaseAddress): Promise<void> {
  const database: Database =
    address.kind === 'sqlite'
      ? new SqliteDatabase(address.file)
      : new PostgresDatabase(address.url, { statementMs: 60_000, connections: 1 });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
}

/** Adds a summary to errors of the database or the system; internal errors are returned unchanged. */
export function toCommandFailure(error: unknown, summary: string): unknown {
  const cause = error instanceof DatabaseUnavailable ? (error.cause ?? error) : error;
  const { code, message } = cause as { code?: string; message?: string };
  const isInternal = code === undefined && !(cause instanceof ConnectionLost || cause instanceof RangeError);
  return isInternal ? error : new CommandFailed(`${summary}: ${message || code}`);
}

function openSqliteEndpoint(
  { file, name }: DatabaseAddress & { kind: 'sqlite' },
  { readOnly }: { readonly readOnly: boolean },
): OpenEndpoint {
  if (readOnly && !existsSync(file)) throw new CommandFailed(`There is no database at ${file}.`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const releaseLock = acquireServerLock(file);
  if (!releaseLock) throw new CommandFailed(`The service, or another copy, is running on ${file}. Stop it first.`);
  try {
    const endpoint = new SqliteEndpoint(file, { readOnly });
    return {
      ...{ endpoint, name },
      close: async () => {
        await endpoint.close();
        releaseLock();
      },
    };
  } catch (error) {
    releaseLock();
    throw error;
  }
}

async function openPostgresEndpoint(
  { url, name }: DatabaseAddress & { kind: 'postgres' },
  { readOnly, ignoreConnections }: { readonly readOnly: boolean; readonly ignoreConnections: boolean },
): Promise<OpenEndpoint> {
  const endpoint = await PostgresEndpoint.open(url, { readOnly });
  try {
    if (!(await endpoint.acquireCopyLock()))
      throw new CommandFailed(`Another copy is running on ${name}, or it is both source and target of this one.`);
    const otherConnections = await endpoint.countOtherConnections();
    if (otherConnections > 0 && !ignoreConnections) {
      throw new CommandFailed(
        `${otherConnections === 1 ? 'Another client is' : `${otherConnections} other clients are`} connected to ${name}. ` +
          'Stop all nodes first: their changes from now on would be lost. If these are not nodes, add --ignore-connections.',
      );
    }
    return { endpoint, name, close: () => endpoint.close() };
  } catch (error) {
    await endpoint.close();
    throw error;
  }
}

function resolveFile(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}
