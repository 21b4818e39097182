import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { findHaproxy } from '../support/nodes/haproxy.ts';
import { spawnGuarded } from '../support/processes/guarded-processes.ts';
import { findStablePort } from '../support/processes/ports.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';
import { readText } from './deploy-files.ts';

const haproxy = findHaproxy() ?? '';
const skip = haproxy === '' && 'requires haproxy';
/** A client address that differs from the balancer's. */
const CLIENT = '127.0.0.2';

describe('the balancer of the compose file', { skip }, () => {
  let folder: string;
  let port: number;
  let switchboard: SwitchboardProcess;
  let balancer: ChildProcess;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-balancer-'));
    port = await findStablePort();
    const env = { SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1', DATABASE_URL: `sqlite:${join(folder, 'switchboard.db')}` };
    switchboard = await startSwitchboardProcess({ env });
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, adaptToLocalhost(readText('deploy/haproxy.cfg'), port, new URL(switchboard.url).host));
    balancer = spawnGuarded(haproxy, ['-db', '-f', file], { stdio: 'ignore' });
    process.once('exit', () => balancer.kill('SIGKILL'));
  });
  after(async () => {
    balancer.kill('SIGKILL');
    await switchboard.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const send = (path: string, headers: Record<string, string> = {}, method = 'GET', body = '') =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; body: string }>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, method, headers, localAddress: CLIENT, agent: false };
      request(options, async (response) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }),
      )
        .once('error', reject)
        .end(body);
    });

  async function waitForReadyStatus(status: number): Promise<Awaited<ReturnType<typeof send>>> {
    let response: Awaited<ReturnType<typeof send>> | undefined;
    await waitUntil(`/_ready answers ${status}`, async () => {
      response = await send('/_ready').catch(() => undefined);
      return response?.status === status;
    });
    return response as Awaited<ReturnType<typeof send>>;
  }

  test('has a configuration that haproxy accepts', () => {
    const file = join(folder, 'as-committed.cfg');
    writeFileSync(file, readText('deploy/haproxy.cfg'));
    const { status, stderr } = spawnSync(haproxy, ['-c', '-f', file], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test('forwards the real client address and ignores a forged one', async () => {
    await waitForReadyStatus(200);
    const headers = {
      'X-API-Key': switchboard.key,
      'X-Forwarded-For': '203.0.113.9',
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    const response = await send('/api/2/website', headers, 'POST', 'label=Shop&url=https://shop.example.com');
    assert.equal(response.status, 201, response.body);
    const database = new DatabaseSync(join(folder, 'switchboard.db'), { readOnly: true });
    const row = database
      .prepare(`select address from events where type = 'website.created' and actor_type = 'api_key'`)
      .get();
    database.close();
    assert.equal(row?.address, CLIENT);
  });

  test('does not expose the metrics', async () => {
    for (const path of ['/metrics', '/metrics/', '/%6detrics', '/Metrics'])
      assert.equal((await send(path)).status, 404, path);
    assert.equal((await fetch(`${switchboard.url}/metrics`)).status, 200);
  });

  test('responds with Retry-After when no node is ready', async () => {
    switchboard.process.kill('SIGKILL');
    const response = await waitForReadyStatus(503);
    assert.equal(response.headers['retry-after'], '1');
    assert.equal(JSON.parse(response.body).meta.status, 'error');
  });
});

/** Adapts the configuration to this machine: one local node instead of three containers. */
function adaptToLocalhost(configuration: string, port: number, node: string): string {
  return configuration
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('maxconn 20000', 'maxconn 500')
    .replace('log stdout format raw local0', '')
    .replace(' resolvers docker init-addr last,libc,none', '')
    .replace(/server node1 \S+/, `server node1 ${node}`)
    .replaceAll(/^ {2}server node[23] .*$/gm, '');
}
