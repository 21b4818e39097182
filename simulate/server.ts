import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target } from './http-client.ts';
import type { Login } from './setup.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** A temporary service for one run, in a separate process and data folder. */
export interface SimulationServer {
  readonly target: Target;
  readonly admin: Login;
  readonly pid: number;
  stop(): Promise<void>;
  /** Runs `doctor` on the data; call it after `stop`. */
  runDoctor(): Promise<{ readonly code: number; readonly output: string }>;
  removeData(): void;
}

export async function startSimulationServer(flags: readonly string[] = []): Promise<SimulationServer> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-simulate-'));
  const admin = { email: 'admin@example.com', password: randomBytes(18).toString('base64url') };
  const env = {
    PATH: process.env.PATH ?? '',
    PORT: '0',
    SWITCHBOARD_OVERLOAD_SECONDS: '60', // a busy machine is not an overload
    DATABASE_URL: `sqlite:${join(folder, 'switchboard.db')}`,
    SWITCHBOARD_ADMIN_EMAIL: admin.email,
    SWITCHBOARD_ADMIN_PASSWORD: admin.password,
    SWITCHBOARD_LOG_LEVEL: 'error',
    // All clients connect from this machine and send their simulated address.
    SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1,::1',
    SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0',
    SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
    SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
    SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
    SWITCHBOARD_UPLOADS_PER_MINUTE: '0',
    SWITCHBOARD_ADDRESS_UPLOADS_PER_MINUTE: '0',
    SWITCHBOARD_VISITOR_SOCKETS: '0',
    SWITCHBOARD_VISITOR_ADDRESS_SOCKETS: '0',
  };
  // In a separate process group, so that Ctrl-C reaches only the simulator, which needs the service to finish.
  const child = spawn(process.execPath, [...flags, MAIN, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const removeData = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', () => {
    child.kill('SIGKILL');
    removeData();
  });
  const url = await waitForUrl(child);
  return {
    target: { urls: [url], trustsForwardedFor: true },
    admin,
    pid: child.pid as number,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exit;
    },
    runDoctor: () => runDoctor(env),
    removeData,
  };
}

function waitForUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const [, url] = output.match(/ready at (\S+)/) ?? [];
      if (url) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`The service exited with ${code}:\n${output}`)));
  });
}

function runDoctor(env: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, 'doctor'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, output }));
  });
}
