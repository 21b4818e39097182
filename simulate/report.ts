import { formatTable } from '../src/commands/table.ts';
import type { CheckResult } from './checks.ts';
import type { Distribution, Figures } from './figures.ts';
import type { PlanOptions } from './plan.ts';

/** The results of a run. */
export interface Report {
  readonly options: PlanOptions;
  readonly startedAt: number;
  readonly figures: Figures;
  readonly checks: readonly CheckResult[];
}

export interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const MAX_PROBLEMS = 10;

/** The figures as tables, for the terminal and for the page. */
export function buildSections({ figures }: Report): Section[] {
  const { conversations, offers, messages, streams, utilisation } = figures;
  const shares = utilisation.map(({ share }) => share).sort((a, b) => a - b);
  const median = shares[Math.floor(shares.length / 2)] ?? 0;
  return [
    pairSection('Conversations', {
      visitors: figures.visitors,
      started: conversations.started,
      refused: conversations.refused,
      abandoned: conversations.abandoned,
      'ended because the visitor had left': conversations.left,
      closed: conversations.closed,
      'still queued at the end': conversations.stillWaiting,
      'still active at the end': conversations.stillRunning,
    }),
    pairSection('Offers', {
      accepted: offers.accepted,
      declined: offers.declined,
      'timed out': offers.timed_out,
      withdrawn: offers.withdrawn,
      'open at the end': offers.open,
    }),
    distributionSection('Times', {
      'wait until offered': figures.untilOffered,
      'wait until accepted': figures.untilAccepted,
      'freed slot (close request) to next offer': figures.closeRequestToOffer,
      'freed slot (close response) to next offer': figures.closeResponseToOffer,
      'delay of events': figures.eventDelay,
    }),
    distributionSection(
      'Requests',
      Object.fromEntries(figures.requests.map(({ operation, took }) => [operation, took])),
    ),
    pairSection('Messages and streams', {
      'messages acknowledged': messages.acknowledged,
      'sent twice on purpose': messages.sentAgain,
      'messages received': messages.received,
      'streams opened': streams.opened,
      'streams resumed': streams.resumed,
      'streams lost': streams.lost,
      'files sent': figures.files.sent,
      'files downloaded': figures.files.received,
      'pages closed by visitors': figures.closedPages,
    }),
    pairSection('Slot utilization of operators', {
      minimum: formatPercent(shares[0] ?? 0),
      median: formatPercent(median),
      maximum: formatPercent(shares.at(-1) ?? 0),
    }),
    pairSection('Failures', {
      'attempts without a response': figures.attemptsWithoutResponse,
      ...Object.fromEntries(figures.errors.map(({ error, count }) => [error, count])),
    }),
  ];
}

/** Renders the report for a terminal. */
export function renderReportText(report: Report): string {
  const { options, figures, checks } = report;
  const lines = [
    `Simulated ${figures.seconds.toFixed(0)} s with ${options.operators} operators, seed ${options.seed}`,
    ...buildSections(report).map((section) => `\n${section.title}\n\n${renderTable(section)}`),
    '\nRules, checked by what the clients saw\n',
    ...checks.flatMap(({ name, problems }) => [
      `${problems.length === 0 ? 'ok     ' : 'BROKEN '} ${name}`,
      ...problems
        .slice(0, MAX_PROBLEMS)
        .map((problem) => `          ${formatOffset(report, problem.at)}${problem.message}`),
      ...(problems.length > MAX_PROBLEMS ? [`          and ${problems.length - MAX_PROBLEMS} more`] : []),
    ]),
  ];
  if (hasFailedChecks(checks)) lines.push(`\nA rule was broken. To run the same plan again: --seed ${options.seed}`);
  lines.push(`\n${renderFigureLine(report)}`);
  return lines.join('\n');
}

function renderFigureLine({ figures, checks }: Report): string {
  const broken = checks.filter(({ problems }) => problems.length > 0).length;
  const count = (value: number) => value.toLocaleString('en');
  return (
    `${figures.seconds.toFixed(0)} s: ${count(figures.conversations.started)} conversations, ` +
    `${count(figures.messages.acknowledged)} messages, ${checks.length} rules checked, ${broken} broken`
  );
}

function renderTable({ head, rows }: Section): string {
  const [first = [], ...others] = head.length > 0 ? [head, ...rows] : rows;
  return formatTable(first, others);
}

export function hasFailedChecks(checks: readonly CheckResult[]): boolean {
  return checks.some(({ problems }) => problems.length > 0);
}

/** Seconds from the start, if the time is known. */
export function formatOffset({ startedAt }: Pick<Report, 'startedAt'>, at: number): string {
  return at > 0 ? `${((at - startedAt) / 1000).toFixed(1)} s: ` : '';
}

function pairSection(title: string, values: Readonly<Record<string, number | string>>): Section {
  const rows = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value.toLocaleString('en') : value,
  ]);
  return { title, head: [], rows };
}

function distributionSection(title: string, values: Readonly<Record<string, Distribution>>): Section {
  const rows = Object.entries(values)
    .filter(([, { count }]) => count > 0)
    .map(([name, { count, p50, p90, p99, most }]) => [
      name,
      count.toLocaleString('en'),
      ...[p50, p90, p99, most].map(formatDuration),
    ]);
  return { title, head: ['', 'count', 'p50', 'p90', 'p99', 'max'], rows };
}

function formatDuration(milliseconds: number): string {
  return milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(1)} s` : `${milliseconds.toFixed(1)} ms`;
}

function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
