import { table } from '../src/commands/table.ts';
import type { CheckResult } from './checks.ts';
import type { Figures, Spread } from './figures.ts';
import type { PlanOptions } from './plan.ts';

/** All that a run showed. */
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
export function sectionsOf({ figures }: Report): Section[] {
  const { conversations, offers, messages, streams, utilisation } = figures;
  const shares = utilisation.map(({ share }) => share).sort((a, b) => a - b);
  const middle = shares[Math.floor(shares.length / 2)] ?? 0;
  return [
    pairs('Conversations', {
      visitors: figures.visitors,
      started: conversations.started,
      refused: conversations.refused,
      abandoned: conversations.abandoned,
      closed: conversations.closed,
      'still waiting at the end': conversations.stillWaiting,
      'still running at the end': conversations.stillRunning,
    }),
    pairs('Offers', {
      accepted: offers.accepted,
      declined: offers.declined,
      'timed out': offers.timed_out,
      withdrawn: offers.withdrawn,
      'open at the end': offers.open,
    }),
    spreads('Times', {
      'waiting, until offered': figures.untilOffered,
      'waiting, until accepted': figures.untilAccepted,
      'slot freed (close asked for) to next offer': figures.closeAskedToOffer,
      'slot freed (close answered) to next offer': figures.closeAnsweredToOffer,
      'event, until it was told': figures.eventDelay,
    }),
    spreads('Requests', Object.fromEntries(figures.requests.map(({ operation, took }) => [operation, took]))),
    pairs('Messages and streams', {
      'messages acknowledged': messages.acknowledged,
      'sent twice on purpose': messages.sentAgain,
      'messages told': messages.told,
      'streams opened': streams.opened,
      'of these resumed': streams.resumed,
      'lost without wanting it': streams.lost,
    }),
    pairs('Use of the slots of operators', {
      least: percent(shares[0] ?? 0),
      middle: percent(middle),
      most: percent(shares.at(-1) ?? 0),
    }),
    pairs('Not done', {
      'tries without an answer': figures.unanswered,
      ...Object.fromEntries(figures.errors.map(({ what, count }) => [what, count])),
    }),
  ];
}

/** What a run showed, for a terminal. */
export function reportText(report: Report): string {
  const { options, figures, checks } = report;
  const lines = [
    `Simulated ${figures.seconds.toFixed(0)} s with ${options.operators} operators, seed ${options.seed}`,
    ...sectionsOf(report).map((section) => `\n${section.title}\n\n${tableText(section)}`),
    '\nWhat must always hold, by what the clients saw\n',
    ...checks.flatMap(({ name, problems }) => [
      `${problems.length === 0 ? 'ok     ' : 'BROKEN '} ${name}`,
      ...problems.slice(0, MAX_PROBLEMS).map((problem) => `          ${when(report, problem.at)}${problem.what}`),
      ...(problems.length > MAX_PROBLEMS ? [`          and ${problems.length - MAX_PROBLEMS} more`] : []),
    ]),
  ];
  if (isBroken(checks)) lines.push(`\nSomething is broken. The same plan again: --seed ${options.seed}`);
  return lines.join('\n');
}

function tableText({ head, rows }: Section): string {
  const [first = [], ...others] = head.length > 0 ? [head, ...rows] : rows;
  return table(first, others);
}

export function isBroken(checks: readonly CheckResult[]): boolean {
  return checks.some(({ problems }) => problems.length > 0);
}

/** Seconds from the opening, where the moment is known. */
export function when({ startedAt }: Pick<Report, 'startedAt'>, at: number): string {
  return at > 0 ? `${((at - startedAt) / 1000).toFixed(1)} s: ` : '';
}

function pairs(title: string, values: Readonly<Record<string, number | string>>): Section {
  const rows = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value.toLocaleString('en') : value,
  ]);
  return { title, head: [], rows };
}

function spreads(title: string, values: Readonly<Record<string, Spread>>): Section {
  const rows = Object.entries(values)
    .filter(([, { count }]) => count > 0)
    .map(([name, { count, p50, p90, p99, most }]) => [
      name,
      count.toLocaleString('en'),
      ...[p50, p90, p99, most].map(duration),
    ]);
  return { title, head: ['', 'number', 'p50', 'p90', 'p99', 'most'], rows };
}

function duration(milliseconds: number): string {
  return milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(1)} s` : `${milliseconds.toFixed(1)} ms`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
