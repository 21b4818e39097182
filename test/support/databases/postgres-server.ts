import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { childPidsOf, sendSignal } from '../processes/child-processes.ts';
import { type PostgresFiles, unpackPostgres } from './postgres-files.ts';

export interface PostgresServer {
  readonly url: string;
  readonly pid: number;
  /** Suspends all its processes: connections stay open but do not respond. */
  freeze(): void;
  thaw(): void;
  /** Stops and keeps its data: `fast` is a regular shutdown, `immediate` is like a crash. */
  shutDown(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Uses the same data and port; resolves once it accepts queries. */
  startAgain(): Promise<void>;
  /** Stops and removes its data. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Flushes every commit to disk before confirming it; needed for crash tests and measurements. */
  readonly durable?: boolean;
  /** Additional settings: `name=value`. */
  readonly settings?: readonly string[];
  /** Changes its files before the first start. */
  prepare?(files: PostgresFiles): void;
}

/** A real PostgreSQL server in its own folder. It stops with this process, even if this process is killed. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const files = unpackPostgres(options);
  options.prepare?.(files);
  const guard = startGuard(files);
  const port = await freePort();
  const url = `postgres://switchboard@127.0.0.1:${port}/postgres`;
  const start = () => spawnServer(files, port, options);
  let running = start();
  await waitUntilUsable(url, running);
  const pid = () => running.child.pid as number;
  const signalAll = (name: NodeJS.Signals) => {
    sendSignal(pid(), name); // first, so that it forks no more children
    for (const child of childPidsOf(pid())) sendSignal(child, name);
  };
  const shutDown: PostgresServer['shutDown'] = async (mode = 'fast') => {
    if (hasEnded(running.child)) return;
    signalAll('SIGCONT');
    const ended = new Promise((resolve) => running.child.once('exit', resolve));
    sendSignal(pid(), mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  };
  return {
    url,
    get pid() {
      return pid();
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    shutDown,
    startAgain: async () => {
      running = start();
      await waitUntilUsable(url, running);
    },
    stop: async () => {
      await shutDown();
      files.remove();
      guard.stdin?.end();
    },
  };
}

interface RunningServer {
  readonly child: ChildProcess;
  log(): string;
}

const FAST_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=512MB'];

function spawnServer(
  { data, program, spawnOptions }: PostgresFiles,
  port: number,
  { durable, settings: otherSettings = [] }: PostgresOptions,
): RunningServer {
  const settings = [
    ...(durable ? [] : FAST_SETTINGS),
    'max_connections=300',
    'shared_buffers=64MB',
    'unix_socket_directories=',
    'listen_addresses=127.0.0.1',
    ...otherSettings,
  ];
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn(program, args, { ...spawnOptions, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  return { child, log: () => log };
}

async function waitUntilUsable(url: string, { child, log }: RunningServer): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (tries > 100 || hasEnded(child)) throw new Error(`PostgreSQL did not start: ${log()}`, { cause: error });
      await setTimeout(50);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/**
 * Waits until this process is gone, which closes its input, then stops the server. A suspended server must be resumed
 * before it can stop; it ends its own children after a while, even suspended ones.
 */
const GUARD = `
  cat > /dev/null
  pid=$(head -n 1 "$1/postmaster.pid" 2> /dev/null)
  [ -n "$pid" ] && kill -CONT "$pid" && kill -QUIT "$pid"
  while [ -n "$pid" ] && kill -0 "$pid"; do sleep 0.2; done
  shift
  rm -rf "$@"
`;

function startGuard({ data, folders }: PostgresFiles): ChildProcess {
  const guard = spawn('sh', ['-c', GUARD, 'guard', data, ...folders], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
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
