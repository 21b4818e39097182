import { type ChildProcess, fork, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecordedResponse } from './bare-server.ts';
import { DATABASE_FILE } from './fill.ts';
import type { Load, LoadResult } from './load.ts';
import type { OpenLoad, OpenLoadResult } from './overload/open-load.ts';

/** The child processes of a run: the service, the bare server and the load generator. All are killed on exit. */

/** Speed is measured with as much load as possible, of which nothing must be refused. */
const DEFAULT_ENV = { PORT: '0', SWITCHBOARD_OVERLOAD_SECONDS: '60' };

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** A measured server. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly profile?: string | undefined;
  readonly program?: readonly string[];
  /** Environment variables that override the defaults. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the real service on a copy of a filled database. */
export function startService(filled: string, folder: string, options?: ServiceOptions): Promise<Server> {
  return startNode(`sqlite:${copyDatabase(filled, folder)}`, folder, options);
}

/** Returns the file of a writable copy. */
export function copyDatabase(filled: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, DATABASE_FILE);
  copyFileSync(join(filled, DATABASE_FILE), file, constants.COPYFILE_FICLONE);
  return file;
}

/** Starts the real service with its default configuration, on any database. */
export async function startNode(
  address: string,
  folder: string,
  { profile, program = ['../src/main.ts', 'serve'], env = {} }: ServiceOptions = {},
): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, 'service.log'), 'w');
  const [source, ...args] = program as [string, ...string[]];
  const main = fileURLToPath(new URL(source, import.meta.url));
  const { flags, variables } = readNpmStartOptions();
  const child = trackChild(
    spawn(
      process.execPath,
      [...flags, ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []), main, ...args],
      {
        // The caller's environment must not affect the service.
        env: { ...variables, ...DEFAULT_ENV, PATH: process.env.PATH ?? '', DATABASE_URL: address, ...env },
        stdio: ['ignore', 'pipe', log],
      },
    ),
  );
  closeSync(log);
  const port = await waitForPort(child, folder);
  return {
    port,
    pid: child.pid as number,
    stop: async () => {
      await stopChild(child, () => child.kill('SIGTERM'));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function waitForPort(child: ChildProcess, folder: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const match = output.match(/ready at http:\/\/[^ ]*:(\d+)/);
      if (match) resolve(Number(match[1]));
    });
    child.once('exit', (code) => {
      const log = readFileSync(join(folder, 'service.log'), 'utf8').slice(-2000);
      reject(new Error(`The service exited with ${code}:\n${output}${log}`));
    });
  });
}

export async function startBareServer(
  responses: ReadonlyMap<string, RecordedResponse>,
  folder: string,
): Promise<Server> {
  const file = join(folder, 'responses.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(responses)));
  return forkServer(new URL('bare-server.ts', import.meta.url), [file]);
}

/** A server that sends its port, and ends when it is disconnected. */
export async function forkServer(
  program: URL,
  args: readonly string[],
  options: { readonly cwd?: string; readonly log?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Server> {
  const log = options.log === undefined ? 'inherit' : openSync(options.log, 'w');
  const child = trackChild(
    fork(program, [...args], {
      ...{ cwd: options.cwd, env: { ...process.env, ...options.env }, stdio: ['ignore', log, log, 'ipc'] },
    }),
  );
  if (typeof log === 'number') closeSync(log);
  const { port } = await nextMessage<{ port: number }>(child).catch((error) => {
    throw options.log ? new Error(`${error.message}\n${readFileSync(options.log, 'utf8').slice(-2000)}`) : error;
  });
  return { port, pid: child.pid as number, stop: () => stopChild(child, () => child.disconnect()) };
}

export interface LoadGenerator<L = Load, R = LoadResult> {
  run(load: L): Promise<R>;
  stop(): Promise<void>;
}

export function startLoadGenerator(): LoadGenerator {
  return forkGenerator('load.ts');
}

/** It does not wait for responses before it sends the next requests. */
export function startOpenLoadGenerator(): LoadGenerator<OpenLoad, OpenLoadResult> {
  return forkGenerator('overload/open-load.ts');
}

function forkGenerator<L extends object, R>(file: string): LoadGenerator<L, R> {
  const child = trackChild(fork(new URL(file, import.meta.url)));
  return {
    run: async (load) => {
      child.send(load);
      const answer = await nextMessage<{ result: R } | { error: string }>(child);
      if ('error' in answer) throw new Error(answer.error);
      return answer.result;
    },
    stop: () => stopChild(child, () => child.disconnect()),
  };
}

/** Resident memory in MB; undefined without `/proc`. */
export function readMemoryMb(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  const [, kibibytes] = (existsSync(file) ? readFileSync(file, 'utf8') : '').match(/^VmRSS:\s+(\d+) kB/m) ?? [];
  return kibibytes === undefined ? undefined : (Number(kibibytes) * 1024) / 1e6;
}

function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const exit = (code: number | null) => reject(new Error(`${child.spawnargs.at(1)} exited with ${code}.`));
    child.once('exit', exit);
    child.once('message', (value) => {
      child.off('exit', exit);
      resolve(value as T);
    });
  });
}

function trackChild<Child extends ChildProcess>(child: Child): Child {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function stopChild(child: ChildProcess, requestStop: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  requestStop();
  await exit;
}

/** The flags and variables of `npm start`, so that the benchmark runs the service as users do. */
function readNpmStartOptions(): { flags: string[]; variables: Record<string, string> } {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [, command = ''] = /exec env (.*) src\/main\.ts serve$/.exec(scripts.start) ?? [];
  const words = command.split(' ').filter((word) => word !== 'node');
  return {
    flags: words.filter((word) => word.startsWith('-')),
    variables: Object.fromEntries(words.filter((word) => !word.startsWith('-')).map((word) => word.split('='))),
  };
}
