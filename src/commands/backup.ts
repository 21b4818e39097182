import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { secretFileFor } from '../app/secret-file.ts';
import { readConfig } from '../config.ts';
import { COPY_NOT_FINISHED, migrations } from '../storage/migrate.ts';
import { describeWork, listUnfinishedWork } from '../storage/migration-work.ts';
import { migrationWork } from '../storage/migrations/0010-migration-work.ts';
import { acquireServerLock } from '../storage/sqlite/server-lock.ts';
import { SqliteDatabase } from '../storage/sqlite/sqlite-database.ts';
import { CommandFailed } from './report.ts';
import type { Terminal } from './terminal.ts';

const DATABASE_NAME = 'switchboard.db';
const SECRET_NAME = 'secret';

function requireEmbeddedFile({ env }: Terminal): string {
  const { databaseFile } = readConfig(env);
  if (databaseFile !== undefined) return databaseFile;
  throw new CommandFailed(
    'This command is for the embedded database. For PostgreSQL use pg_dump, or pg_basebackup with WAL archiving.',
  );
}

/** Also copies the secret: without it every single sign-on key would change. */
export async function backup(terminal: Terminal, folder: string): Promise<void> {
  const databaseFile = requireEmbeddedFile(terminal);
  if (!existsSync(databaseFile)) throw new CommandFailed(`There is no database at ${databaseFile}.`);
  const target = resolve(folder);
  if (existsSync(target)) throw new CommandFailed(`${target} already exists. Choose a new folder.`);
  const database = new SqliteDatabase(databaseFile);
  let unfinished: string[] = [];
  try {
    unfinished = await listUnfinishedSteps(database);
    mkdirSync(target, { recursive: true, mode: 0o700 });
    await database.backupTo(join(target, DATABASE_NAME));
    chmodSync(join(target, DATABASE_NAME), 0o600);
    const secret = secretFileFor(databaseFile);
    if (existsSync(secret)) copyFileSync(secret, join(target, SECRET_NAME));
  } finally {
    await database.close();
  }
  await requireIntact(join(target, DATABASE_NAME));
  for (const line of unfinished) terminal.console.log(`In the backup: ${line}. After a restore, the service does it.`);
  terminal.console.log(
    `The backup is in ${target} and has been verified. It contains the installation secret: store it as securely as the server.`,
  );
}

/** Empty for a database of an earlier version, which has no such table. */
async function listUnfinishedSteps({ read }: SqliteDatabase): Promise<string[]> {
  const applied = await read.selectFrom('migrations').select('name').execute();
  if (!applied.some(({ name }) => name === migrationWork.name)) return [];
  return (await listUnfinishedWork(read)).map(describeWork);
}

/** Keeps the previous database under another name. */
export async function restore(terminal: Terminal, folder: string, options: { force?: boolean }): Promise<void> {
  const databaseFile = requireEmbeddedFile(terminal);
  const source = resolve(folder);
  if (!existsSync(join(source, DATABASE_NAME)))
    throw new CommandFailed(`${source} is not a backup: it has no ${DATABASE_NAME}.`);
  if (existsSync(databaseFile) && !options.force) {
    throw new CommandFailed(
      `There is a database at ${databaseFile}. Use --force to replace it; it will be kept next to the new one.`,
    );
  }
  await requireIntact(join(source, DATABASE_NAME));
  mkdirSync(dirname(databaseFile), { recursive: true, mode: 0o700 });
  const releaseLock = acquireServerLock(databaseFile);
  if (!releaseLock) throw new CommandFailed(`The service is running on ${databaseFile}. Stop it first.`);
  const oldFile = moveAside(databaseFile);
  copyFileSync(join(source, DATABASE_NAME), databaseFile);
  if (existsSync(join(source, SECRET_NAME))) copyFileSync(join(source, SECRET_NAME), secretFileFor(databaseFile));
  releaseLock();
  terminal.console.log(
    `Restored ${databaseFile} from ${source}.${oldFile ? ` The previous database is kept as ${oldFile}.` : ''}`,
  );
}

/** Moves the database together with its write-ahead log, and copies the secret. */
function moveAside(databaseFile: string): string | undefined {
  if (!existsSync(databaseFile)) return undefined;
  const target = `${databaseFile}.before-restore-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(databaseFile + suffix)) renameSync(databaseFile + suffix, target + suffix);
  }
  const secret = secretFileFor(databaseFile);
  if (existsSync(secret)) copyFileSync(secret, `${target}.secret`);
  return target;
}

async function requireIntact(file: string): Promise<void> {
  const problem = await findProblem(file).catch((error: Error) => `is damaged: ${error.message}`);
  if (problem) throw new CommandFailed(`${file} ${problem}`);
}

/** Rejects if the file is too damaged to be opened. */
async function findProblem(file: string): Promise<string | undefined> {
  const database = new SqliteDatabase(file);
  try {
    const problems = database.findIntegrityProblems();
    if (problems.length > 0) return `is damaged: ${problems.slice(0, 3).join('; ')}`;
    const applied = await database.read.selectFrom('migrations').select('name').execute();
    if (applied.some(({ name }) => name === COPY_NOT_FINISHED)) return 'is the target of a copy that is not finished.';
    const unknown = applied.filter(({ name }) => !migrations.some((migration) => migration.name === name));
    return unknown.length > 0 ? 'was created by a newer version of Switchboard.' : undefined;
  } finally {
    await database.close();
  }
}
