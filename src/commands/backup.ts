import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { secretFile } from '../app/secret-file.ts';
import { readConfig } from '../config.ts';
import { COPY_NOT_FINISHED, migrations } from '../storage/migrate.ts';
import { takeServerPlace } from '../storage/sqlite/server-lock.ts';
import { SqliteDatabase } from '../storage/sqlite/sqlite-database.ts';
import { CommandFailed } from './report.ts';
import type { Terminal } from './terminal.ts';

const DATABASE = 'switchboard.db';
const SECRET = 'secret';

function embeddedFile({ env }: Terminal): string {
  const { databaseFile } = readConfig(env);
  if (databaseFile !== undefined) return databaseFile;
  throw new CommandFailed('PostgreSQL has its own tools for this: pg_dump, pg_basebackup and an archive of its log.');
}

/** Copies the database while the service runs, and the secret with it: without it every single sign-on key would change. */
export async function backup(terminal: Terminal, folder: string): Promise<void> {
  const databaseFile = embeddedFile(terminal);
  if (!existsSync(databaseFile)) throw new CommandFailed(`There is no database at ${databaseFile}.`);
  const target = resolve(folder);
  if (existsSync(target)) throw new CommandFailed(`${target} exists already. Name a new folder.`);
  const database = new SqliteDatabase(databaseFile);
  try {
    mkdirSync(target, { recursive: true, mode: 0o700 });
    await database.backupTo(join(target, DATABASE));
    chmodSync(join(target, DATABASE), 0o600);
    const secret = secretFile(databaseFile);
    if (existsSync(secret)) copyFileSync(secret, join(target, SECRET));
  } finally {
    await database.close();
  }
  await requireSound(join(target, DATABASE));
  terminal.console.log(
    `The backup is in ${target}, checked. It holds the secret of the installation: keep it as safe as the server.`,
  );
}

/** Puts a backup in place. What was there before is kept under another name. */
export async function restore(terminal: Terminal, folder: string, options: { force?: boolean }): Promise<void> {
  const databaseFile = embeddedFile(terminal);
  const source = resolve(folder);
  if (!existsSync(join(source, DATABASE))) throw new CommandFailed(`${source} is not a backup: it has no ${DATABASE}.`);
  if (existsSync(databaseFile) && !options.force) {
    throw new CommandFailed(
      `There is a database at ${databaseFile}. Use --force to replace it; it will be kept beside the new one.`,
    );
  }
  await requireSound(join(source, DATABASE));
  mkdirSync(dirname(databaseFile), { recursive: true, mode: 0o700 });
  const leavePlace = takeServerPlace(databaseFile);
  if (!leavePlace) throw new CommandFailed(`The service is running on ${databaseFile}. Stop it first.`);
  const kept = setAside(databaseFile);
  copyFileSync(join(source, DATABASE), databaseFile);
  if (existsSync(join(source, SECRET))) copyFileSync(join(source, SECRET), secretFile(databaseFile));
  leavePlace();
  terminal.console.log(`Restored ${databaseFile} from ${source}.${kept ? ` The old one is kept as ${kept}.` : ''}`);
}

/** The write-ahead log belongs to its database: both move together. */
function setAside(databaseFile: string): string | undefined {
  if (!existsSync(databaseFile)) return undefined;
  const kept = `${databaseFile}.before-restore-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(databaseFile + suffix)) renameSync(databaseFile + suffix, kept + suffix);
  }
  const secret = secretFile(databaseFile);
  if (existsSync(secret)) copyFileSync(secret, `${kept}.secret`);
  return kept;
}

async function requireSound(file: string): Promise<void> {
  const unsound = await problemWith(file).catch((error: Error) => `is damaged: ${error.message}`);
  if (unsound) throw new CommandFailed(`${file} ${unsound}`);
}

/** Rejects where the file is so damaged that it cannot even be asked. */
async function problemWith(file: string): Promise<string | undefined> {
  const database = new SqliteDatabase(file);
  try {
    const problems = database.integrityProblems();
    if (problems.length > 0) return `is damaged: ${problems.slice(0, 3).join('; ')}`;
    const applied = await database.read.selectFrom('migrations').select('name').execute();
    if (applied.some(({ name }) => name === COPY_NOT_FINISHED)) return 'is the target of a copy that is not finished.';
    const unknown = applied.filter(({ name }) => !migrations.some((migration) => migration.name === name));
    return unknown.length > 0 ? 'was made by a newer version of Switchboard.' : undefined;
  } finally {
    await database.close();
  }
}
