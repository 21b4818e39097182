import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { childrenOf, signal } from '../processes/child-processes.ts';
import { type PostgresFiles, unpackPostgres } from './postgres-files.ts';

export interface PostgresServer {
  readonly url: string;
  readonly pid: number;
  /** Stands still, and with it everything that it has begun: connections stay open and say nothing. */
  freeze(): void;
  thaw(): void;
  /** Ends, and leaves its data: `fast` as a service does it, `immediate` as a machine that fails. */
  shutDown(how?: 'fast' | 'immediate'): Promise<void>;
  /** On the same data and port; answers when it can be used. */
  startAgain(): Promise<void>;
  /** Ends and removes its data. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Writes every commit to the disk before it says so; needed where it is ended hard, or measured. */
  readonly durable?: boolean;
  /** More settings: `name=value`. */
  readonly settings?: readonly string[];
  /** What is done to its files before it starts for the first time. */
  prepare?(files: PostgresFiles): void;
}

/** A real PostgreSQL for the tests, in a folder of its own. It ends with this process, however that ends. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const files = unpackPostgres();
  options.prepare?.(files);
  const guard = guardOf(files);
  const port = await freePort();
  const url = `postgres://switchboard@127.0.0.1:${port}/postgres`;
  const start = () => run(files, port, options);
  let running = start();
  await usable(url, running);
  const pid = () => running.child.pid as number;
  const signalAll = (name: NodeJS.Signals) => {
    signal(pid(), name); // first, so that it starts no other
    for (const child of childrenOf(pid())) signal(child, name);
  };
  const shutDown: PostgresServer['shutDown'] = async (how = 'fast') => {
    if (hasEnded(running.child)) return;
    signalAll('SIGCONT');
    const ended = new Promise((resolve) => running.child.once('exit', resolve));
    signal(pid(), how === 'fast' ? 'SIGINT' : 'SIGQUIT');
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
      await usable(url, running);
    },
    stop: async () => {
      await shutDown();
      files.remove();
      guard.stdin?.end();
    },
  };
}

interface Running {
  readonly child: ChildProcess;
  log(): string;
}

const QUICK = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

function run(
  { data, program, as }: PostgresFiles,
  port: number,
  { durable, settings: more = [] }: PostgresOptions,
): Running {
  const settings = [
    ...(durable ? [] : QUICK),
    'max_connections=300',
    'shared_buffers=64MB',
    'unix_socket_directories=',
    'listen_addresses=127.0.0.1',
    ...more,
  ];
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn(program, args, { ...as, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  return { child, log: () => log };
}

async function usable(url: string, { child, log }: Running): Promise<void> {
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
 * Waits until this process is gone, which closes its input, and ends what it left behind. A server that stands still has to go on
 * to end; those that it started are ended by it after a while, also when they stand still.
 */
const GUARD = `
  cat > /dev/null
  pid=$(head -n 1 "$1/postmaster.pid" 2> /dev/null)
  [ -n "$pid" ] && kill -CONT "$pid" && kill -QUIT "$pid"
  while [ -n "$pid" ] && kill -0 "$pid"; do sleep 0.2; done
  rm -rf "$2"
`;

function guardOf({ data, folder }: PostgresFiles): ChildProcess {
  const guard = spawn('sh', ['-c', GUARD, 'guard', data, folder], {
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
