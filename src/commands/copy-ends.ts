import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { settings } from '../config.ts';
import type { CopyTarget } from '../storage/copy/copy-end.ts';
import { ConnectionLost, PostgresEnd } from '../storage/copy/postgres-end.ts';
import { SqliteEnd } from '../storage/copy/sqlite-end.ts';
import type { Database } from '../storage/database.ts';
import { DatabaseUnavailable } from '../storage/errors.ts';
import { migrate } from '../storage/migrate.ts';
import { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { takeServerPlace } from '../storage/sqlite/server-lock.ts';
import { SqliteDatabase } from '../storage/sqlite/sqlite-database.ts';
import { CommandFailed } from './report.ts';

/** Where an end is. Its name shows no password. */
export type Address =
  | { readonly kind: 'sqlite'; readonly file: string; readonly name: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly name: string };

export interface OpenEnd {
  readonly end: CopyTarget;
  readonly name: string;
  close(): Promise<void>;
}

export function addressIn(option: string, text: string): Address {
  const parsed = settings.shape.DATABASE_URL.safeParse(text);
  if (!parsed.success) throw new CommandFailed(`${option} ${parsed.error.issues[0]?.message}.`);
  if (text.startsWith('sqlite:')) {
    const file = resolve(text.slice('sqlite:'.length));
    return { kind: 'sqlite', file, name: `sqlite:${file}` };
  }
  const url = URL.parse(text);
  if (!url) throw new CommandFailed(`${option} is not an address of a PostgreSQL.`);
  return { kind: 'postgres', url: text, name: `postgres://${url.host}${url.pathname}` };
}

export function refuseSame(from: Address, to: Address): void {
  const same = from.kind === 'sqlite' && to.kind === 'sqlite' ? realFile(from.file) === realFile(to.file) : false;
  if (same || from.name === to.name) throw new CommandFailed('--from and --to name the same database.');
}

/** Opens an end for this copy alone: nobody serves or copies it meanwhile. */
export async function openEnd(
  address: Address,
  options: { readonly readOnly: boolean; readonly ignoreConnections: boolean },
): Promise<OpenEnd> {
  try {
    return address.kind === 'sqlite' ? openFile(address, options) : await openServer(address, options);
  } catch (error) {
    throw inWords(error, `${address.name} cannot be used`);
  }
}

export async function migrateEnd(address: Address): Promise<void> {
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

/** What a database or the system says, with what it means for the copy; a mistake of ours stays as it is. */
export function inWords(error: unknown, meaning: string): unknown {
  const cause = error instanceof DatabaseUnavailable ? (error.cause ?? error) : error;
  const { code, message } = cause as { code?: string; message?: string };
  const isOurs = code === undefined && !(cause instanceof ConnectionLost || cause instanceof RangeError);
  return isOurs ? error : new CommandFailed(`${meaning}: ${message || code}`);
}

function openFile({ file, name }: Address & { kind: 'sqlite' }, { readOnly }: { readonly readOnly: boolean }): OpenEnd {
  if (readOnly && !existsSync(file)) throw new CommandFailed(`There is no database at ${file}.`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const leavePlace = takeServerPlace(file);
  if (!leavePlace) throw new CommandFailed(`The service, or another copy, is running on ${file}. Stop it first.`);
  try {
    const end = new SqliteEnd(file, { readOnly });
    return {
      ...{ end, name },
      close: async () => {
        await end.close();
        leavePlace();
      },
    };
  } catch (error) {
    leavePlace();
    throw error;
  }
}

async function openServer(
  { url, name }: Address & { kind: 'postgres' },
  { readOnly, ignoreConnections }: { readonly readOnly: boolean; readonly ignoreConnections: boolean },
): Promise<OpenEnd> {
  const end = await PostgresEnd.open(url, { readOnly });
  try {
    if (!(await end.takePlace()))
      throw new CommandFailed(`Another copy is at work on ${name}, or it is both ends of this one.`);
    const others = await end.othersConnected();
    if (others > 0 && !ignoreConnections) {
      throw new CommandFailed(
        `${others === 1 ? 'Somebody else is' : `${others} others are`} connected to ${name}. ` +
          'Stop all nodes first: what they change from now on would be lost. If these are not nodes, add --ignore-connections.',
      );
    }
    return { end, name, close: () => end.close() };
  } catch (error) {
    await end.close();
    throw error;
  }
}

function realFile(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}
