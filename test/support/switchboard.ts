import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressFor, dropDatabase, makeDatabase, onPostgres, SECRET } from './postgres-database.ts';
import { type Stored, storedAt } from './stored.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' };
export const WRITE_KEY = 'test-write-key-0123456789';

/** The real program in a process of its own, on a folder of its own. */
export interface Switchboard {
  readonly url: string;
  readonly key: string;
  readonly folder: string;
  readonly process: ChildProcess;
  /** What it keeps; also after it has ended, unless its folder is gone. */
  readonly stored: Stored;
  /** All that it wrote: standard output, and the log on standard error. */
  output(): string;
  log(): string;
  /** Runs another command of the program on the same data. */
  command(args: readonly string[], input?: string): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Ends it as an operating system does, and removes its folder. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Another file that starts the service, in the place of the program. */
  readonly main?: string;
  /** Kept by the caller, for example to start again on the same data. */
  readonly folder?: string;
}

export async function startSwitchboard(options: StartOptions = {}): Promise<Switchboard> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const env = environment(folder, options.env);
  const ownDatabase = onPostgres && env.DATABASE_URL === addressFor(folder) ? env.DATABASE_URL : undefined;
  if (ownDatabase) await makeDatabase(ownDatabase);
  const start = options.main === undefined ? [MAIN, 'serve'] : [options.main];
  const child = spawn(process.execPath, [...start, ...(options.args ?? [])], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  const output: string[] = [];
  const log: string[] = [];
  child.stdout?.on('data', (chunk) => output.push(String(chunk)));
  child.stderr?.on('data', (chunk) => log.push(String(chunk)));
  const url = await readyAt(child, output, log);
  const stored = storedAt(env.DATABASE_URL ?? '');
  return {
    url,
    key: env.SWITCHBOARD_API_KEY ?? WRITE_KEY,
    folder,
    process: child,
    stored,
    output: () => output.join(''),
    log: () => log.join(''),
    command: (args, input) => runCommand(args, env, input),
    stop: async () => {
      await end(child);
      await stored.end();
      if (options.folder) return;
      rmSync(folder, { recursive: true, force: true });
      if (ownDatabase) await dropDatabase(ownDatabase);
    },
  };
}

/** Runs the program to its end. */
export function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
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
    NODE_COMPILE_CACHE: join(tmpdir(), 'switchboard-compile-cache'), // the many starts of a test run are quicker
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
