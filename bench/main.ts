import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { provideBrowser } from '../test/support/browser/install-browser.ts';
import { prepareCacheFolder } from './cache-folder.ts';
import { CASE_NAMES, DESK_CASE, ENGINE_CASE, SEPARATE_CASES, VISITORS_CASE, WIDGET_CASE } from './cases.ts';
import { type DeskResult, measureDesk } from './desk/measure.ts';
import { printDesk } from './desk/report.ts';
import { type DistanceResult, measureDistance } from './distance/measure.ts';
import { printDistance } from './distance/report.ts';
import { type EngineResult, measureEngine } from './engine/measure.ts';
import { printEngine } from './engine/report.ts';
import { prepareFilledFolder } from './fill.ts';
import { type GoalsResult, measureGoals } from './goals/measure.ts';
import { printGoals } from './goals/report.ts';
import { measure, type Plan, REFERENCE_SIZE, type SizeResult } from './measure.ts';
import { DISTANCE_CASE, GOALS_CASE, NODE_CASE_NAMES, SINGLE_NODE_CASES } from './nodes/cases.ts';
import { measureNodes, type NodesResult } from './nodes/measure.ts';
import { printNodes } from './nodes/report.ts';
import { installPeers } from './peers/install.ts';
import { measurePeers, type PeerResult } from './peers/measure.ts';
import { printPeers } from './peers/report.ts';
import { startLoadGenerator, startService } from './processes.ts';
import { endProgress, showProgress } from './progress.ts';
import { printReport } from './report.ts';
import { measureVisitors, type VisitorsResult } from './visitors/measure.ts';
import { printVisitors, printWidget } from './visitors/report.ts';
import { measureWidget, type WidgetResult } from './visitors/widget.ts';

const SIZES = [1000, 100_000, 1_000_000];
const NODES = [1, 2, 3];

const program = new Command('npm run bench --')
  .description(
    'Compares the service with a bare node:http server that sends the same bytes, in alternating rounds of one run: ' +
      'the ratio says more than the requests per second, which depend on the machine. Filled databases are cached in .bench/. ' +
      'With --database postgres it starts a temporary PostgreSQL server, spreads the load over each number of nodes, ' +
      'and measures the embedded database for comparison; its case goals prints one table with the goals of one node (ten minutes). ' +
      `The cases ${[...SEPARATE_CASES].join(', ')} have their own databases and ignore --sizes.`,
  )
  .option('--sizes <list>', `operators in the account (default: ${SIZES.join(',')})`, parseSizes)
  .option('--quick', '1,000 operators and short rounds: a rough impression, not a measurement')
  .addOption(
    new Option('--database <kind>', 'database of the service').choices(['embedded', 'postgres']).default('embedded'),
  )
  .option('--nodes <list>', `with --database postgres: numbers of nodes (default: ${NODES.join(',')})`, parseNodes)
  .addOption(
    new Option(
      '--case <name...>',
      `only these cases; with --database postgres one of ${NODE_CASE_NAMES.join(', ')}`,
    ).choices([...new Set([...CASE_NAMES, ...NODE_CASE_NAMES])]),
  )
  .option(
    '--peers',
    'instead compares the service with PostGraphile, Parse Server and json-server, on the same data in the same rounds; ' +
      'installs them into .bench/ once, from the npm registry (500 MB), and starts a temporary PostgreSQL server',
  )
  .option('--json <file>', 'also write all figures to this file')
  .option('--profile <folder>', 'write CPU profiles of the service to this folder')
  .parse();

interface Options {
  readonly sizes?: number[];
  readonly quick?: true;
  readonly database: 'embedded' | 'postgres';
  readonly nodes?: number[];
  readonly case?: string[];
  readonly peers?: true;
  readonly json?: string;
  readonly profile?: string;
}

const options = program.opts<Options>();
const isPostgres = options.database === 'postgres';
const cases = new Set(options.case ?? (isPostgres ? NODE_CASE_NAMES : CASE_NAMES));
checkOptions();

const cache = prepareCacheFolder();
const folder = mkdtempSync(join(cache, 'run-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const generator = startLoadGenerator();
const results: SizeResult[] = [];
let engine: EngineResult | undefined;
let nodes: NodesResult | undefined;
let distance: DistanceResult | undefined;
let goals: GoalsResult | undefined;
let peers: PeerResult[] = [];
let widget: WidgetResult[] = [];
let visitors: VisitorsResult | undefined;
let desk: DeskResult | undefined;
try {
  if (options.peers) await measureWithPeers();
  else if (isPostgres) await measureOnNodes();
  else await measureOnEmbedded();
  await generator.stop();
} finally {
  // Also print the results from before a failure.
  endProgress();
  printReport(results);
  printWidget(widget);
  if (visitors) printVisitors(visitors);
  if (desk) printDesk(desk);
  if (engine) printEngine(engine);
  if (nodes) printNodes(nodes);
  if (distance) printDistance(distance);
  if (goals) printGoals(goals);
  printPeers(peers);
  const figures = { sizes: results, widget, visitors, desk, engine, nodes, distance, goals, peers };
  if (options.json) writeFileSync(options.json, JSON.stringify(figures, null, 2));
}

async function measureOnEmbedded(): Promise<void> {
  const isWithoutSizes = cases.isSubsetOf(SEPARATE_CASES);
  const sizes = isWithoutSizes ? [] : (options.sizes ?? (options.quick ? [REFERENCE_SIZE] : SIZES));
  const plan: Plan = {
    cases,
    rounds: options.quick ? 3 : 5,
    roundMs: options.quick ? 600 : 1200,
    pageRoundMs: options.quick ? 60 : 150,
    slowMs: options.quick ? 1000 : 3000,
  };
  const filledFolders = new Map<number, string>();
  for (const size of new Set(isWithoutSizes ? [] : [REFERENCE_SIZE, ...sizes]))
    filledFolders.set(size, await prepareFilledFolder(cache, size));
  for (const size of sizes) {
    showProgress(`starting the service with ${size.toLocaleString('en')} operators`);
    const start = (operatorCount: number, name: string) =>
      startService(filledFolders.get(operatorCount) as string, join(folder, name), {
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
  await measureSeparately();
}

async function measureSeparately(): Promise<void> {
  const bench = { cache, folder, generator, profile: options.profile };
  if (cases.has(WIDGET_CASE)) {
    const plan = options.quick ? { rounds: 3, roundMs: 600 } : { rounds: 5, roundMs: 1200 };
    widget = await measureWidget({ ...bench, plan });
  }
  if (cases.has(VISITORS_CASE))
    visitors = await measureVisitors({ ...bench, milliseconds: options.quick ? 10_000 : 60_000 });
  const missing = cases.has(DESK_CASE) ? await provideBrowser() : undefined;
  if (missing !== undefined && !options.case) showProgress(`desk: skipped, it needs a browser, and ${missing}`);
  else if (cases.has(DESK_CASE)) {
    const deskPlan = options.quick
      ? { views: 3, messages: 30, milliseconds: 3000 }
      : { views: 7, messages: 100, milliseconds: 10_000 };
    desk = await measureDesk({ ...bench, plan: deskPlan });
  }
  if (cases.has(ENGINE_CASE)) {
    const enginePlan = options.quick
      ? { rounds: 10, runMs: 2000, queueMs: 10_000 }
      : { rounds: 30, runMs: 6000, queueMs: 60_000 };
    engine = await measureEngine({ ...bench, plan: enginePlan });
  }
}

async function measureOnNodes(): Promise<void> {
  const times = options.quick ? { rounds: 1, roundMs: 600, runMs: 1500 } : { rounds: 3, roundMs: 1000, runMs: 3000 };
  const bench = { cache, folder, generator, profile: options.profile };
  const plan = { cases, nodes: options.nodes ?? NODES, ...times };
  if (!cases.isSubsetOf(SINGLE_NODE_CASES))
    await measureNodes({ ...bench, plan }, (result) => {
      nodes = result;
    });
  if (cases.has(DISTANCE_CASE)) {
    const distancePlan = options.quick ? { rounds: 2, runMs: 3000 } : { rounds: 5, runMs: 6000 };
    distance = await measureDistance({ ...bench, plan: distancePlan });
  }
  if (cases.has(GOALS_CASE)) {
    const goalsPlan = options.quick
      ? { rounds: 3, runMs: 1500, warmUpRounds: 2 }
      : { rounds: 7, runMs: 3000, warmUpRounds: 4 };
    goals = await measureGoals({ ...bench, plan: goalsPlan });
  }
}

async function measureWithPeers(): Promise<void> {
  const installed = await installPeers(cache).catch((error: Error) => program.error(`error: ${error.message}`));
  const plan = options.quick
    ? { rounds: 3, roundMs: 600, warmUpMs: 1500 }
    : { rounds: 9, roundMs: 1500, warmUpMs: 4000 };
  await measurePeers({ cache, folder, generator, installed, plan, profile: options.profile }, (result) => {
    peers = result;
  });
}

function checkOptions(): void {
  if (options.peers && (isPostgres || options.sizes || options.nodes || options.case))
    program.error(
      'error: --peers compares fixed cases on both databases: it needs no --database, --case, --sizes or --nodes',
    );
  const unknown = [...cases].filter((name) => !(isPostgres ? NODE_CASE_NAMES : CASE_NAMES).includes(name));
  if (unknown.length > 0)
    program.error(`error: these cases are not available with --database ${options.database}: ${unknown.join(', ')}`);
  if (isPostgres && options.sizes) program.error('error: --sizes needs --database embedded');
  if (!isPostgres && options.nodes) program.error('error: --nodes needs --database postgres');
}

function parseNodes(text: string): number[] {
  const nodes = text.split(',').map(Number);
  if (!nodes.every((count) => Number.isInteger(count) && count >= 1 && count <= 10)) {
    throw new InvalidArgumentError('Expected whole numbers from 1 to 10, separated by commas.');
  }
  return nodes;
}

function parseSizes(text: string): number[] {
  const sizes = text.split(',').map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size >= 1000 && size <= 5_000_000)) {
    throw new InvalidArgumentError('Expected whole numbers from 1,000 to 5,000,000, separated by commas.');
  }
  return sizes;
}
