import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CheckResult, checkJournal } from './checks.ts';
import { Client } from './client.ts';
import { figuresOf } from './figures.ts';
import { Journal, now } from './journal.ts';
import { readSettings, type Settings } from './options.ts';
import { reportPage } from './page.ts';
import { makePlan } from './plan.ts';
import { Progress } from './progress.ts';
import { recount } from './recount.ts';
import { isBroken, type Report, reportText } from './report.ts';
import { simulate } from './run.ts';
import { seriesOf } from './series.ts';
import { type OwnServer, startOwnServer } from './server.ts';
import { clearStage, logIn, setStage } from './stage.ts';

const settings = readSettings(process.argv.slice(2));
const stop = new AbortController();
let interruptedAt = 0;
process.on('SIGINT', () => {
  const pressedAt = performance.now();
  // npm passes on what the terminal has sent here already.
  if (stop.signal.aborted && pressedAt - interruptedAt > 1000) process.exit(130);
  if (!stop.signal.aborted) interruptedAt = pressedAt;
  stop.abort(); // everybody finishes what they have; a second time ends at once
});
process.on('SIGTERM', () => stop.abort());

const own = settings.urls.length > 0 ? undefined : await startOwnServer(profileFlags(settings));
try {
  const report = await run(settings, own);
  console.log(reportText(report));
  if (isBroken(report.checks)) process.exitCode = 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await own?.stop();
  own?.remove();
}

async function run(given: Settings, server: OwnServer | undefined): Promise<Report> {
  const plan = makePlan(given.plan);
  const client = new Client(server?.target ?? { urls: given.urls, believesAddresses: false });
  const journal = new Journal();
  const progress = new Progress(journal, given.plan.durationMs / 1000);
  console.error(
    `${plan.operators.length} operators, ${plan.visitors.length} visitors to come, seed ${given.plan.seed}`,
  );
  const login = server?.admin ?? { email: given.email ?? '', password: given.password ?? '' };
  const token = given.token ?? (await logIn(client, login));
  const stage = await setStage(client, journal, plan, token, {
    ...(server && given.offerSeconds !== undefined ? { account: { offerSeconds: given.offerSeconds } } : {}),
    onProgress: (text) => progress.say(text),
  });
  const startedAt = now();
  progress.start();
  await simulate({ client, journal, plan, stage, stop: stop.signal });
  progress.stop();
  const more = server ? [await recount(stage.admin, journal.entries)] : [];
  if (!server && !given.keep) await clearStage(stage);
  client.close();
  await server?.stop();
  const checks = [...checkJournal(journal.entries), ...more, ...(server ? [await askDoctor(server)] : [])];
  const report = { options: given.plan, startedAt, figures: figuresOf(journal.entries), checks };
  write(given, report, journal);
  return report;
}

async function askDoctor(server: OwnServer): Promise<CheckResult> {
  const { code, output } = await server.doctor();
  const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('ok'));
  const problems = code === 0 ? [] : lines.map((what) => ({ what, at: 0 }));
  return { name: 'doctor finds nothing wrong with the data', problems };
}

function write({ report: page, json, journal: lines }: Settings, report: Report, { entries }: Journal): void {
  const series = seriesOf(entries);
  for (const file of [page, json, lines]) if (file) mkdirSync(dirname(file), { recursive: true });
  if (page) writeFileSync(page, reportPage(report, series));
  if (json) writeFileSync(json, `${JSON.stringify({ ...report, series }, null, 2)}\n`);
  if (lines) writeFileSync(lines, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

function profileFlags({ profile }: Settings): string[] {
  return profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
}
