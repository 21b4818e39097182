// Checks the OpenAPI document with Spectral, and every operation of a real service through Prism's validating proxy.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, type Operation, operationsOf } from '../test/support/docs/openapi.ts';
import { findStablePort } from '../test/support/processes/ports.ts';
import { ADMIN, startSwitchboard } from '../test/support/processes/switchboard.ts';
import { installPackages } from './install-packages.mjs';

const TOOLS = join(import.meta.dirname, 'openapi-tools');
const DOCUMENT = join(import.meta.dirname, '../docs/api/openapi.json');
const SPECTRAL = join(TOOLS, 'node_modules/@stoplight/spectral-cli/dist/index.js');
const PRISM = join(TOOLS, 'node_modules/@stoplight/prism-cli/dist/index.js');
const START_TIMEOUT_MS = 120_000;
const BOUNDARY = '----switchboard';

/** Values of `{id}`, from the demo data: what is read and written is not what is deleted. */
const READ_ID = '1';
const DELETED_ID = '9';

interface Call {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}

if (!installPackages(TOOLS, 'Spectral and Prism')) process.exit(1);
const problems = [...runSpectral(), ...(await runPrism())];
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'ok' : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

function runSpectral(): string[] {
  const args = [SPECTRAL, 'lint', '--fail-severity=warn', `--ruleset=${join(TOOLS, 'spectral.json')}`, DOCUMENT];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  return status === 0 ? [] : ['Spectral found problems.'];
}

async function runPrism(): Promise<string[]> {
  const document: Document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  const service = await startSwitchboard({ demo: true });
  const port = await findStablePort();
  const args = [PRISM, 'proxy', DOCUMENT, service.url, `--port=${port}`, '--host=127.0.0.1', '--validate-request'];
  const prism = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const proxy = `http://127.0.0.1:${port}`;
    await waitUntilListening(proxy);
    const token = await logIn(service.url);
    await assertThatPrismValidates(proxy, service.key);
    const found: string[] = [];
    let count = 0;
    for (const call of buildCalls(document, service.key, token)) {
      const response = await fetch(proxy + call.path, {
        method: call.method,
        headers: call.headers,
        body: call.body ?? null,
        redirect: 'manual',
      });
      const violations = response.headers.get('sl-violations');
      const text = await response.text();
      count += 1;
      if (violations) found.push(`${call.method} ${call.path}: ${violations}`);
      else if (!(String(response.status) in call.operation.responses))
        found.push(`${call.method} ${call.path}: ${response.status} ${text.slice(0, 300)}`);
    }
    console.log(`Prism: ${count} requests through the proxy, ${found.length} with violations`);
    return found;
  } finally {
    prism.kill();
    await once(prism, 'exit');
    await service.stop();
  }
}

/** A proxy that reports nothing would always pass. */
async function assertThatPrismValidates(proxy: string, key: string): Promise<void> {
  const body = new URLSearchParams({ 'chat[available]': 'perhaps' });
  const headers = { 'X-API-Key': key };
  const response = await fetch(`${proxy}/api/2/operator/1/live`, { method: 'PUT', headers, body });
  if (!response.headers.get('sl-violations')) throw new Error('Prism did not report an invalid request.');
}

/** One call of every operation, with every documented media type of the body. Deletes come last. */
function buildCalls(document: Document, key: string, token: string): Call[] {
  const calls = operationsOf(document).flatMap(({ path, method, operation }): Call[] => {
    const url = path.replace('{id}', method === 'DELETE' ? DELETED_ID : READ_ID) + buildQuery(path);
    const credentials: Record<string, string> = path.startsWith('/api/2/')
      ? { 'X-API-Key': key }
      : { Authorization: `Bearer ${token}` };
    const bodies = Object.entries(operation.requestBody?.content ?? {});
    if (bodies.length === 0) return [{ operation, method, path: url, headers: credentials }];
    return bodies.map(([mediaType, { example }], index) => {
      const { headers, body } = encodeBody(mediaType, example as Record<string, unknown>, index);
      return { operation, method, path: url, headers: { ...credentials, ...headers }, body };
    });
  });
  return calls.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
}

function buildQuery(path: string): string {
  return path === '/admin/login' ? '?key=unknown' : '';
}

/** `index` keeps unique values apart when the same example is sent in several encodings. */
function encodeBody(mediaType: string, example: Record<string, unknown>, index: number) {
  const fields = Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, name === 'email' ? `prism${index}@example.com` : value]),
  );
  if (mediaType === 'application/json') return { headers: { 'Content-Type': mediaType }, body: JSON.stringify(fields) };
  const pairs = Object.entries(fields).map(([name, value]) => [name, String(value)] as [string, string]);
  if (mediaType === 'application/x-www-form-urlencoded')
    return { headers: { 'Content-Type': mediaType }, body: String(new URLSearchParams(pairs)) };
  const parts = pairs.map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: `${parts.join('')}--${BOUNDARY}--\r\n`,
  };
}

async function logIn(url: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username: ADMIN.email, password: ADMIN.password });
  const response = await fetch(`${url}/oauth2/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function waitUntilListening(url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await fetch(`${url}/_health`);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
