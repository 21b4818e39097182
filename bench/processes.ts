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
import type { RecordedAnswer } from './bare-server.ts';
import { DATABASE } from './fill.ts';
import type { Load, LoadResult } from './load.ts';

/** The processes of a run: the service, the bare server and the load generator. None of them outlives it. */

const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

/** A server that is measured. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly profile?: string | undefined;
  readonly program?: readonly string[];
  /** Settings that differ from the default. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The real program on a copy of a filled database. */
export function startService(filled: string, folder: string, options?: ServiceOptions): Promise<Server> {
  return startNode(`sqlite:${copyOf(filled, folder)}`, folder, options);
}

/** The file of a copy that may be changed. */
export function copyOf(filled: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, DATABASE);
  copyFileSync(join(filled, DATABASE), file, constants.COPYFILE_FICLONE);
  return file;
}

/** The real program with its default configuration, on any database. */
export async function startNode(
  address: string,
  folder: string,
  { profile, program = ['../src/main.ts', 'serve'], env = {} }: ServiceOptions = {},
): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, 'service.log'), 'w');
  const [source, ...args] = program as [string, ...string[]];
  const main = fileURLToPath(new URL(source, import.meta.url));
  const { flags, variables } = asNpmStart();
  const child = remember(
    spawn(
      process.execPath,
      [...flags, ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []), main, ...args],
      {
        // Nothing of the caller's settings gets in.
        env: { PATH: process.env.PATH ?? '', PORT: '0', DATABASE_URL: address, ...variables, ...env },
        stdio: ['ignore', 'pipe', log],
      },
    ),
  );
  closeSync(log);
  const port = await portOf(child, folder);
  return {
    port,
    pid: child.pid as number,
    stop: async () => {
      await ended(child, () => child.kill('SIGTERM'));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function portOf(child: ChildProcess, folder: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const match = output.match(/ready at http:\/\/[^ ]*:(\d+)/);
      if (match) resolve(Number(match[1]));
    });
    child.once('exit', (code) => {
      const log = readFileSync(join(folder, 'service.log'), 'utf8').slice(-2000);
      reject(new Error(`The service ended with ${code}:\n${output}${log}`));
    });
  });
}

export async function startBareServer(answers: ReadonlyMap<string, RecordedAnswer>, folder: string): Promise<Server> {
  const file = join(folder, 'answers.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(answers)));
  const child = remember(fork(new URL('bare-server.ts', import.meta.url), [file]));
  const { port } = await message<{ port: number }>(child);
  return { port, pid: child.pid as number, stop: () => ended(child, () => child.disconnect()) };
}

export interface LoadGenerator {
  run(load: Load): Promise<LoadResult>;
  stop(): Promise<void>;
}

export function startLoadGenerator(): LoadGenerator {
  const child = remember(fork(new URL('load.ts', import.meta.url)));
  return {
    run: async (load) => {
      child.send(load);
      const answer = await message<{ result: LoadResult } | { error: string }>(child);
      if ('error' in answer) throw new Error(answer.error);
      return answer.result;
    },
    stop: () => ended(child, () => child.disconnect()),
  };
}

/** Resident memory in MB, where the system tells it in this way. */
export function memoryOf(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  const [, kibibytes] = (existsSync(file) ? readFileSync(file, 'utf8') : '').match(/^VmRSS:\s+(\d+) kB/m) ?? [];
  return kibibytes === undefined ? undefined : (Number(kibibytes) * 1024) / 1e6;
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const exit = (code: number | null) => reject(new Error(`${child.spawnargs.at(1)} ended with ${code}.`));
    child.once('exit', exit);
    child.once('message', (value) => {
      child.off('exit', exit);
      resolve(value as T);
    });
  });
}

function remember<Child extends ChildProcess>(child: Child): Child {
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  end();
  await exit;
}

/** The flags and variables with which `npm start` runs the service: what is measured is what people get. */
function asNpmStart(): { flags: string[]; variables: Record<string, string> } {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [, words = ''] = /exec env (.*) src\/main\.ts serve$/.exec(scripts.start) ?? [];
  const given = words.split(' ').filter((word) => word !== 'node');
  return {
    flags: given.filter((word) => word.startsWith('-')),
    variables: Object.fromEntries(given.filter((word) => !word.startsWith('-')).map((word) => word.split('='))),
  };
}
