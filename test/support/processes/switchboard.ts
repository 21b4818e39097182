import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Patience } from '../../../src/api/graphql-server/sockets.ts';
import { firstStart } from '../../../src/app/first-start.ts';
import { type OpenOptions, openInstallation } from '../../../src/app/installation.ts';
import { startServer } from '../../../src/app/server.ts';
import { runProgram } from '../../../src/commands/program.ts';
import { readConfig } from '../../../src/config.ts';
import { keepDemoConnected, loadDemo } from '../../../src/demo/demo.ts';
import type { Clock } from '../../../src/storage/database.ts';
import { addressFor, dropDatabase, makeDatabase, onPostgres, SECRET } from '../databases/postgres-database.ts';
import { type Stored, storedAt } from '../databases/stored.ts';
import { PATIENCE_MS } from '../waiting/until.ts';
import { spawnOwn } from './own-processes.ts';
import { terminalWith } from './terminal.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** How a service is opened in the process of a test: nothing is given up because a machine is slow, and passwords cost little. */
export const FOR_TESTS: OpenOptions = { statementMs: PATIENCE_MS, hashCost: { memoryKiB: 64, passes: 1 } };

/** The many starts of a test run are quicker with it. */
export const COMPILE_CACHE = join(tmpdir(), 'switchboard-compile-cache');

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' };
export const WRITE_KEY = 'test-write-key-0123456789';

/** The whole service on a database of its own. */
export interface Switchboard {
  readonly url: string;
  readonly key: string;
  readonly folder: string;
  /** What it keeps; also after it has ended, unless its folder is gone. */
  readonly stored: Stored;
  /** All that it wrote into its log. */
  log(): string;
  /** Runs a command of the program on the same data. */
  command(args: readonly string[], input?: string): Promise<Outcome>;
  /** Ends it as an operating system does, and removes its folder. */
  stop(): Promise<void>;
}

/** The real program in a process of its own. */
export interface SwitchboardProcess extends Switchboard {
  readonly process: ChildProcess;
  /** All that it wrote to standard output. */
  output(): string;
}

interface CommonOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Kept by the caller, for example to start again on the same data. */
  readonly folder?: string;
}

export interface StartOptions extends CommonOptions {
  /** With the demo data. */
  readonly demo?: boolean;
  /** How long sockets are waited for. */
  readonly patience?: Patience;
  /** Another clock than the database's own. */
  readonly clock?: Clock;
}

export interface ProcessOptions extends CommonOptions {
  readonly args?: readonly string[];
  /** Another file that starts the service, in the place of the program. */
  readonly main?: string;
}

/** Starts the service in this process, where starting another one costs little. */
export async function startSwitchboard(options: StartOptions = {}): Promise<Switchboard> {
  const place = await placeFor(options);
  const config = readConfig(place.env);
  const installation = await openInstallation(config, {
    ...FOR_TESTS,
    ...(options.clock && { clock: options.clock }),
  });
  const log: string[] = [];
  let stopDemo: (() => void) | undefined;
  const server = await startServer(installation, config, {
    log: { write: (line) => log.push(line) },
    ...(options.patience && { patience: options.patience }),
    prepare: async () => {
      await firstStart(installation, config);
      if (!options.demo) return;
      await loadDemo(installation);
      stopDemo = await keepDemoConnected(installation);
    },
  });
  return {
    url: server.url,
    ...place.switchboard,
    log: () => log.join(''),
    stop: async () => {
      stopDemo?.();
      await server.stop();
      await place.leave();
    },
  };
}

export async function startSwitchboardProcess(options: ProcessOptions = {}): Promise<SwitchboardProcess> {
  const place = await placeFor(options);
  const start = options.main === undefined ? [MAIN, 'serve'] : [options.main];
  const child = spawnOwn(process.execPath, [...start, ...(options.args ?? [])], {
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const log: string[] = [];
  child.stdout?.on('data', (chunk) => output.push(String(chunk)));
  child.stderr?.on('data', (chunk) => log.push(String(chunk)));
  const url = await readyAt(child, output, log);
  return {
    url,
    ...place.switchboard,
    process: child,
    output: () => output.join(''),
    log: () => log.join(''),
    stop: async () => {
      await end(child);
      await place.leave();
    },
  };
}

/** Where a service keeps its data, made if need be and left as it was found. */
async function placeFor(options: CommonOptions) {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const env = environment(folder, options.env);
  const ownDatabase = onPostgres && env.DATABASE_URL === addressFor(folder) ? env.DATABASE_URL : undefined;
  if (ownDatabase) await makeDatabase(ownDatabase);
  const stored = storedAt(env.DATABASE_URL ?? '');
  return {
    env,
    switchboard: {
      key: env.SWITCHBOARD_API_KEY ?? WRITE_KEY,
      folder,
      stored,
      command: (args: readonly string[], input?: string) => runCommand(args, env, input),
    },
    leave: async () => {
      await stored.end();
      if (options.folder) return;
      rmSync(folder, { recursive: true, force: true });
      if (ownDatabase) await dropDatabase(ownDatabase);
    },
  };
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, in this process: to start another one takes longer than most commands. */
export async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Outcome> {
  const { terminal, stdout, stderr } = terminalWith(env, input);
  const code = await runProgram(args, terminal);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs a command to its end in a process of its own, for what a process has: an exit code, pipes, a file mode mask. */
export function runCommandProcess(args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawnOwn(process.execPath, [MAIN, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    child.stdin.end(input);
  });
}

/** An environment of its own: nothing of the machine's settings gets in. */
export function environment(folder: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    SWITCHBOARD_SLOW_READ_TIMEOUT: String(PATIENCE_MS / 1000),
    PORT: '0',
    ...(onPostgres
      ? { DATABASE_URL: addressFor(folder), SWITCHBOARD_SECRET: SECRET }
      : { DATABASE_URL: `sqlite:${join(folder, 'switchboard.db')}` }),
    SWITCHBOARD_ADMIN_EMAIL: ADMIN.email,
    SWITCHBOARD_ADMIN_PASSWORD: ADMIN.password,
    SWITCHBOARD_API_KEY: WRITE_KEY,
    ...more,
  };
}

function readyAt(child: ChildProcess, output: readonly string[], log: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = output.join('').match(/ready at (\S+)/);
      if (match?.[1]) resolve(match[1]);
    };
    child.stdout?.on('data', look);
    child.once('exit', (code) =>
      reject(new Error(`The service ended with ${code}:\n${output.join('')}${log.join('')}`)),
    );
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
