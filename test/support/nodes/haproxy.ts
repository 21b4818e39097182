import type { ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnGuarded } from '../processes/guarded-processes.ts';
import { findStablePort } from '../processes/ports.ts';
import { waitUntil } from '../waiting/wait.ts';
import type { Balancer } from './balancer.ts';

/** The path of the installed haproxy, if any. */
export function findHaproxy(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'haproxy')).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function startHaproxy(nodes: readonly string[]): Promise<Balancer> {
  const program = findHaproxy();
  if (program === undefined) throw new Error('haproxy is not installed.');
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-haproxy-'));
  const port = await findStablePort();
  const statistics = join(folder, 'stats.sock');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, buildConfig({ port, statistics, nodes }));
  const child = spawnGuarded(program, ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const killChild = () => child.kill('SIGKILL');
  process.once('exit', killChild);
  child.once('exit', () => process.off('exit', killChild));
  const rows = async () => {
    if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}: ${output}`);
    return readStatistics(statistics);
  };
  await waitUntilUp(rows, nodes.length);
  return {
    kind: 'haproxy',
    url: `http://127.0.0.1:${port}`,
    retries: async () => Number((await rows()).find(({ svname }) => svname === 'BACKEND')?.wretr ?? 0),
    isUp: async (index) => (await rows()).some(({ svname, status }) => svname === `node${index}` && status === 'UP'),
    stop: async () => {
      await terminate(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Follows deploy/haproxy.cfg, with frequent checks and with timeouts that only end hanging requests. */
function buildConfig(options: { port: number; statistics: string; nodes: readonly string[] }): string {
  return `
global
  stats socket ${options.statistics} level user
  maxconn 4000

defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  timeout check 60s
  retries 3
  option redispatch 1
  option forwardfor

frontend clients
  bind 127.0.0.1:${options.port}
  default_backend nodes

backend nodes
  balance roundrobin
  option httpchk GET /_ready
  http-check expect status 200
  retry-on conn-failure empty-response response-timeout 503
  http-request disable-l7-retry if { method POST DELETE } !{ req.hdr(Idempotency-Key) -m found }
  default-server check inter 100ms fall 1 rise 1
${options.nodes.map((url, index) => `  server node${index} ${new URL(url).host}`).join('\n')}
`;
}

type Row = Readonly<Record<string, string>>;

function readStatistics(path: string): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write('show stat\n'));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    socket.once('error', reject);
    socket.once('end', () => resolve(parseCsv(text)));
  });
}

function parseCsv(text: string): Row[] {
  const [head = '', ...lines] = text.replace(/^# /, '').trim().split('\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((value, index) => [names[index] ?? '', value])));
}

/** haproxy considers a server up until its first check. */
async function waitUntilUp(rows: () => Promise<Row[]>, count: number): Promise<void> {
  await waitUntil('haproxy routes requests to every node', async () => {
    const found = await rows().catch((error) => {
      if (String(error).includes('ended')) throw error;
      return [];
    });
    return found.filter(({ svname, status }) => svname?.startsWith('node') && status === 'UP').length === count;
  });
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
