import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CheckResult, checkJournal } from './checks.ts';
import { computeFigures } from './figures.ts';
import { HttpClient } from './http-client.ts';
import { Journal, now } from './journal.ts';
import { readSettings, type SimulationSettings } from './options.ts';
import { renderReportPage } from './page.ts';
import { createPlan } from './plan.ts';
import { Progress } from './progress.ts';
import { recountConversations } from './recount.ts';
import { hasFailedChecks, type Report, renderReportText } from './report.ts';
import { simulate } from './run.ts';
import { computeSeries } from './series.ts';
import { type SimulationServer, startSimulationServer } from './server.ts';
import { logIn, setUp, tearDown } from './setup.ts';

const settings = readSettings(process.argv.slice(2));
const stop = new AbortController();
let interruptedAt = 0;
process.on('SIGINT', () => {
  const pressedAt = performance.now();
  // npm forwards the signal that the terminal has already sent to this process.
  if (stop.signal.aborted && pressedAt - interruptedAt > 1000) process.exit(130);
  if (!stop.signal.aborted) interruptedAt = pressedAt;
  stop.abort(); // participants finish their conversations; a second signal exits immediately
});
process.on('SIGTERM', () => stop.abort());

const temporaryServer = settings.urls.length > 0 ? undefined : await startSimulationServer(buildProfileFlags(settings));
try {
  const report = await run(settings, temporaryServer);
  console.log(renderReportText(report));
  if (hasFailedChecks(report.checks)) process.exitCode = 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await temporaryServer?.stop();
  temporaryServer?.removeData();
}

async function run(options: SimulationSettings, server: SimulationServer | undefined): Promise<Report> {
  const plan = createPlan(options.plan);
  const client = new HttpClient(server?.target ?? { urls: options.urls, trustsForwardedFor: false });
  const journal = new Journal();
  const progress = new Progress(journal, options.plan.durationMs / 1000);
  console.error(
    `${plan.operators.length} operators, ${plan.visitors.length} planned visitors, seed ${options.plan.seed}`,
  );
  const login = server?.admin ?? { email: options.email ?? '', password: options.password ?? '' };
  const token = options.token ?? (await logIn(client, login));
  const setup = await setUp(client, journal, plan, token, {
    ...(server && options.offerSeconds !== undefined ? { account: { offerSeconds: options.offerSeconds } } : {}),
    onProgress: (text) => progress.show(text),
  });
  const startedAt = now();
  progress.start();
  await simulate({ client, journal, plan, setup, stop: stop.signal });
  progress.stop();
  const extraChecks = server ? [await recountConversations(setup.admin, journal.entries)] : [];
  if (!server && !options.keep) await tearDown(setup);
  client.close();
  await server?.stop();
  const checks = [...checkJournal(journal.entries), ...extraChecks, ...(server ? [await runDoctorCheck(server)] : [])];
  const report = { options: options.plan, startedAt, figures: computeFigures(journal.entries), checks };
  writeFiles(options, report, journal);
  return report;
}

async function runDoctorCheck(server: SimulationServer): Promise<CheckResult> {
  const { code, output } = await server.runDoctor();
  const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('ok'));
  const problems = code === 0 ? [] : lines.map((message) => ({ message, at: 0 }));
  return { name: 'doctor finds no problem in the data', problems };
}

function writeFiles(
  { report: pageFile, json: jsonFile, journal: journalFile }: SimulationSettings,
  report: Report,
  { entries }: Journal,
): void {
  const series = computeSeries(entries);
  for (const file of [pageFile, jsonFile, journalFile]) if (file) mkdirSync(dirname(file), { recursive: true });
  if (pageFile) writeFileSync(pageFile, renderReportPage(report, series));
  if (jsonFile) writeFileSync(jsonFile, `${JSON.stringify({ ...report, series }, null, 2)}\n`);
  if (journalFile) writeFileSync(journalFile, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

function buildProfileFlags({ profile }: SimulationSettings): string[] {
  return profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
}
