import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../../src/commands/program.ts';
import { runDataFolder } from '../databases/data-folder.ts';
import {
  createDatabase,
  databaseUrlForFolder,
  dropDatabase,
  isOnPostgres,
  TEST_SECRET,
} from '../databases/postgres-database.ts';
import { openStoredData, type StoredData } from '../databases/stored-data.ts';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { spawnGuarded } from './guarded-processes.ts';
import type { ServiceOptions } from './service-in-process.ts';
import { createTerminal } from './terminal.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** The garbage of a start fits into this memory: collecting it takes a tenth of the start's processor time. */
const LARGE_NEW_SPACE = '--min-semi-space-size=16';

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' };
export const WRITE_KEY = 'test-write-key-0123456789';

/** The whole service on its own database. */
export interface Switchboard {
  readonly url: string;
  readonly key: string;
  readonly folder: string;
  /** Its database; also available after it has stopped, while its folder exists. */
  readonly storedData: StoredData;
  /** Everything logged so far. */
  log(): string;
  /** Runs a command on the same data. */
  runCommand(args: readonly string[], input?: string): Promise<CommandResult>;
  /** Stops it gracefully and removes its folder. */
  stop(): Promise<void>;
}

/** The real program in its own process. */
export interface SwitchboardProcess extends Switchboard {
  readonly process: ChildProcess;
  /** Everything written to standard output. */
  output(): string;
}

interface CommonOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Owned by the caller, for example to start again on the same data. */
  readonly folder?: string;
}

export interface StartOptions extends CommonOptions, ServiceOptions {}

export interface ProcessOptions extends CommonOptions {
  readonly args?: readonly string[];
  /** A file that starts the service instead of `src/main.ts`. */
  readonly main?: string;
}

/** Starts the service in this process, which is faster than a new process. */
export async function startSwitchboard(options: StartOptions = {}): Promise<Switchboard> {
  // Loading the whole service takes more than a second, which tests of processes do not need.
  const { startServiceInProcess } = await import('./service-in-process.ts');
  const workspace = await prepareWorkspace(options);
  const service = await startServiceInProcess(workspace.env, databaseFileIn(workspace.switchboard.folder), options);
  return {
    ...workspace.switchboard,
    ...service,
    stop: async () => {
      await service.stop();
      await workspace.cleanUp();
    },
  };
}

export async function startSwitchboardProcess(options: ProcessOptions = {}): Promise<SwitchboardProcess> {
  const workspace = await prepareWorkspace(options);
  const start = options.main === undefined ? [MAIN, 'serve'] : [options.main];
  const child = spawnGuarded(process.execPath, [LARGE_NEW_SPACE, ...start, ...(options.args ?? [])], {
    env: workspace.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const log: string[] = [];
  child.stdout?.on('data', (chunk) => output.push(String(chunk)));
  child.stderr?.on('data', (chunk) => log.push(String(chunk)));
  const url = await waitForUrl(child, output, log);
  return {
    url,
    ...workspace.switchboard,
    process: child,
    output: () => output.join(''),
    log: () => log.join(''),
    stop: async () => {
      await terminate(child);
      await workspace.cleanUp();
    },
  };
}

/** Creates the folder and the database if needed; `cleanUp` removes what was created. */
async function prepareWorkspace(options: CommonOptions) {
  const folder = options.folder ?? mkdtempSync(join(runDataFolder(), 'switchboard-test-'));
  const env = testEnvironment(folder, options.env);
  const ownDatabase = isOnPostgres && env.DATABASE_URL === databaseUrlForFolder(folder) ? env.DATABASE_URL : undefined;
  if (ownDatabase) await createDatabase(ownDatabase);
  const storedData = openStoredData(env.DATABASE_URL ?? '');
  return {
    env,
    switchboard: {
      key: env.SWITCHBOARD_API_KEY ?? WRITE_KEY,
      folder,
      storedData,
      runCommand: (args: readonly string[], input?: string) => runCommand(args, env, input),
    },
    cleanUp: async () => {
      await storedData.end();
      if (options.folder) return;
      rmSync(folder, { recursive: true, force: true });
      if (ownDatabase) await dropDatabase(ownDatabase);
    },
  };
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process: starting a new process takes longer than most commands. */
export async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<CommandResult> {
  const { terminal, stdout, stderr } = createTerminal(env, input);
  const code = await runProgram(args, terminal);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs a command in its own process, for tests of exit codes, pipes and file modes. */
export function runCommandProcess(args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawnGuarded(process.execPath, [MAIN, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
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

export function databaseFileIn(folder: string): string {
  return join(folder, 'switchboard.db');
}

/** Contains nothing of this machine's environment except PATH. */
export function testEnvironment(
  folder: string,
  overrides: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    SWITCHBOARD_SLOW_READ_TIMEOUT: String(WAIT_TIMEOUT_MS / 1000),
    SWITCHBOARD_OVERLOAD_SECONDS: String(WAIT_TIMEOUT_MS / 1000), // a busy machine is not an overload
    PORT: '0',
    ...(isOnPostgres
      ? { DATABASE_URL: databaseUrlForFolder(folder), SWITCHBOARD_SECRET: TEST_SECRET }
      : { DATABASE_URL: `sqlite:${databaseFileIn(folder)}` }),
    SWITCHBOARD_ADMIN_EMAIL: ADMIN.email,
    SWITCHBOARD_ADMIN_PASSWORD: ADMIN.password,
    SWITCHBOARD_API_KEY: WRITE_KEY,
    ...overrides,
  };
}

function waitForUrl(child: ChildProcess, output: readonly string[], log: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const resolveIfReady = () => {
      const match = output.join('').match(/ready at (\S+)/);
      if (match?.[1]) resolve(match[1]);
    };
    child.stdout?.on('data', resolveIfReady);
    child.once('exit', (code) =>
      reject(new Error(`The service ended with ${code}:\n${output.join('')}${log.join('')}`)),
    );
  });
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
