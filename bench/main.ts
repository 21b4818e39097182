import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CASE_NAMES, ENGINE } from './cases.ts';
import { type EngineResult, measureEngine } from './engine/measure.ts';
import { printEngine } from './engine/report.ts';
import { filledFolder } from './fill.ts';
import { measure, type Plan, REFERENCE_SIZE, type SizeResult } from './measure.ts';
import { NODE_CASE_NAMES } from './nodes/cases.ts';
import { measureNodes, type NodesResult } from './nodes/measure.ts';
import { printNodes } from './nodes/report.ts';
import { startLoadGenerator, startService } from './processes.ts';
import { endProgress, progress } from './progress.ts';
import { printReport } from './report.ts';

const SIZES = [1000, 100_000, 1_000_000];
const NODES = [1, 2, 3];

const program = new Command('npm run bench --')
  .description(
    'Measures the service against a bare node:http server that sends the same bytes, both in turn and in the same run: ' +
      'the ratio says more than the requests per second, which depend on the machine. The filled databases are kept in .bench/. With --database postgres it brings a PostgreSQL of its own, ' +
      'spreads the load over so many nodes in turn, and shows the embedded database beside them (five minutes).',
  )
  .option('--sizes <list>', `operators in the account (default: ${SIZES.join(',')})`, readSizes)
  .option('--quick', '1,000 operators and short rounds: a look, not a measurement')
  .addOption(
    new Option('--database <kind>', 'what the service runs on').choices(['embedded', 'postgres']).default('embedded'),
  )
  .option('--nodes <list>', `with --database postgres: numbers of nodes (default: ${NODES.join(',')})`, readNodes)
  .addOption(
    new Option(
      '--case <name...>',
      `only these cases; with --database postgres one of ${NODE_CASE_NAMES.join(', ')}`,
    ).choices(CASE_NAMES),
  )
  .option('--json <file>', 'write all figures into this file as well')
  .option('--profile <folder>', 'write a processor profile of the service into this folder')
  .parse();

interface Options {
  readonly sizes?: number[];
  readonly quick?: true;
  readonly database: 'embedded' | 'postgres';
  readonly nodes?: number[];
  readonly case?: string[];
  readonly json?: string;
  readonly profile?: string;
}

const options = program.opts<Options>();
const onPostgres = options.database === 'postgres';
const cases = new Set(options.case ?? (onPostgres ? NODE_CASE_NAMES : CASE_NAMES));
refuseMixed();

const cache = cacheFolder();
const folder = mkdtempSync(join(cache, 'run-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const generator = startLoadGenerator();
const results: SizeResult[] = [];
let engine: EngineResult | undefined;
let nodes: NodesResult | undefined;
try {
  if (onPostgres) await onNodes();
  else await onEmbedded();
  await generator.stop();
} finally {
  // What was measured before a failure is worth seeing too.
  endProgress();
  printReport(results);
  if (engine) printEngine(engine);
  if (nodes) printNodes(nodes);
  if (options.json) writeFileSync(options.json, JSON.stringify({ sizes: results, engine, nodes }, null, 2));
}

async function onEmbedded(): Promise<void> {
  const onlyEngine = cases.size === 1 && cases.has(ENGINE);
  const sizes = onlyEngine ? [] : (options.sizes ?? (options.quick ? [REFERENCE_SIZE] : SIZES));
  const plan: Plan = {
    cases,
    rounds: options.quick ? 3 : 5,
    roundMs: options.quick ? 600 : 1200,
    pageRoundMs: options.quick ? 60 : 150,
    slowMs: options.quick ? 1000 : 3000,
  };
  const filled = new Map<number, string>();
  for (const size of new Set(onlyEngine ? [] : [REFERENCE_SIZE, ...sizes]))
    filled.set(size, await filledFolder(cache, size));
  for (const size of sizes) {
    progress(`starting the service with ${size.toLocaleString('en')} operators`);
    const start = (of: number, name: string) =>
      startService(filled.get(of) as string, join(folder, name), {
        profile: name === 'service' ? options.profile : undefined,
        ...(name === 'plain' ? { program: ['./plain-service.ts'] } : {}),
      });
    const service = await start(size, 'service');
    const reference = size === REFERENCE_SIZE ? undefined : await start(REFERENCE_SIZE, 'reference');
    const plain = plan.cases.has('graphql') ? await start(size, 'plain') : undefined;
    results.push(await measure({ size, service, plain, reference, generator, folder, plan }));
    await service.stop();
    await plain?.stop();
    await reference?.stop();
  }
  if (cases.has(ENGINE)) {
    const enginePlan = options.quick
      ? { rounds: 10, runMs: 2000, drainMs: 10_000 }
      : { rounds: 30, runMs: 6000, drainMs: 60_000 };
    engine = await measureEngine({ cache, folder, generator, plan: enginePlan, profile: options.profile });
  }
}

function onNodes(): Promise<void> {
  const times = options.quick ? { rounds: 1, roundMs: 600, runMs: 1500 } : { rounds: 3, roundMs: 1000, runMs: 3000 };
  const plan = { cases, nodes: options.nodes ?? NODES, ...times };
  return measureNodes({ cache, folder, generator, plan, profile: options.profile }, (soFar) => {
    nodes = soFar;
  });
}

function refuseMixed(): void {
  const unknown = onPostgres ? [...cases].filter((name) => !NODE_CASE_NAMES.includes(name)) : [];
  if (unknown.length > 0) program.error(`error: not measured on PostgreSQL: ${unknown.join(', ')}`);
  if (onPostgres && options.sizes) program.error('error: --sizes is for the embedded database only');
  if (!onPostgres && options.nodes) program.error('error: --nodes needs --database postgres');
}

function readNodes(text: string): number[] {
  const nodes = text.split(',').map(Number);
  if (!nodes.every((count) => Number.isInteger(count) && count >= 1 && count <= 10)) {
    throw new InvalidArgumentError('They must be whole numbers from 1 to 10, separated by commas.');
  }
  return nodes;
}

function readSizes(text: string): number[] {
  const sizes = text.split(',').map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size >= 1000 && size <= 5_000_000)) {
    throw new InvalidArgumentError('They must be whole numbers from 1,000 to 5,000,000, separated by commas.');
  }
  return sizes;
}

/** Inside the repository; for a user who may not write there, a folder of their own. */
function cacheFolder(): string {
  const own = fileURLToPath(new URL('../.bench', import.meta.url));
  try {
    mkdirSync(own, { recursive: true });
    accessSync(own, constants.W_OK);
    return own;
  } catch {
    const other = join(tmpdir(), `switchboard-bench-${userInfo().uid}`);
    mkdirSync(other, { recursive: true, mode: 0o700 });
    return other;
  }
}
