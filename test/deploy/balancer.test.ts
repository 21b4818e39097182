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
import { spawnOwn } from '../support/processes/own-processes.ts';
import { lastingPort } from '../support/processes/ports.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { until } from '../support/waiting/until.ts';
import { readText } from './deploy-files.ts';

const haproxy = findHaproxy() ?? '';
const skip = haproxy === '' && 'there is no haproxy on this machine';
/** A client at another address than the balancer's own. */
const CLIENT = '127.0.0.2';

describe('the balancer of the compose file', { skip }, () => {
  let folder: string;
  let port: number;
  let switchboard: SwitchboardProcess;
  let balancer: ChildProcess;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-balancer-'));
    port = await lastingPort();
    const env = { SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1', DATABASE_URL: `sqlite:${join(folder, 'switchboard.db')}` };
    switchboard = await startSwitchboardProcess({ env });
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, onThisMachine(readText('deploy/haproxy.cfg'), port, new URL(switchboard.url).host));
    balancer = spawnOwn(haproxy, ['-db', '-f', file], { stdio: 'ignore' });
    process.once('exit', () => balancer.kill('SIGKILL'));
  });
  after(async () => {
    balancer.kill('SIGKILL');
    await switchboard.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', body = '') =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; body: string }>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, method, headers, localAddress: CLIENT, agent: false };
      request(options, async (answer) =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }),
      )
        .once('error', reject)
        .end(body);
    });

  async function readyAnswers(status: number): Promise<Awaited<ReturnType<typeof ask>>> {
    let answer: Awaited<ReturnType<typeof ask>> | undefined;
    await until(`/_ready answers ${status}`, async () => {
      answer = await ask('/_ready').catch(() => undefined);
      return answer?.status === status;
    });
    return answer as Awaited<ReturnType<typeof ask>>;
  }

  test('has a configuration that haproxy accepts', () => {
    const file = join(folder, 'as-committed.cfg');
    writeFileSync(file, readText('deploy/haproxy.cfg'));
    const { status, stderr } = spawnSync(haproxy, ['-c', '-f', file], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test('passes requests on with the address of whoever asks, whatever they claim', async () => {
    await readyAnswers(200);
    const headers = {
      'X-API-Key': switchboard.key,
      'X-Forwarded-For': '203.0.113.9',
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    const made = await ask('/api/2/website', headers, 'POST', 'label=Shop&url=https://shop.example.com');
    assert.equal(made.status, 201, made.body);
    const database = new DatabaseSync(join(folder, 'switchboard.db'), { readOnly: true });
    const row = database.prepare(`select address from events where type = 'website.created'`).get();
    database.close();
    assert.equal(row?.address, CLIENT);
  });

  test('keeps the numbers inside', async () => {
    for (const spelling of ['/metrics', '/metrics/', '/%6detrics', '/Metrics'])
      assert.equal((await ask(spelling)).status, 404, spelling);
    assert.equal((await fetch(`${switchboard.url}/metrics`)).status, 200);
  });

  test('says with Retry-After that no node is ready', async () => {
    switchboard.process.kill('SIGKILL');
    const answer = await readyAnswers(503);
    assert.equal(answer.headers['retry-after'], '1');
    assert.equal(JSON.parse(answer.body).meta.status, 'error');
  });
});

/** The same but for its size and addresses: one node here, in the place of three containers that are found by their names. */
function onThisMachine(configuration: string, port: number, node: string): string {
  return configuration
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('maxconn 20000', 'maxconn 500')
    .replace('log stdout format raw local0', '')
    .replace(' resolvers docker init-addr last,libc,none', '')
    .replace(/server node1 \S+/, `server node1 ${node}`)
    .replaceAll(/^ {2}server node[23] .*$/gm, '');
}
