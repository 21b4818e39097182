import { Random } from './random.ts';

/**
 * Decides in advance who arrives when and how they behave: the same options and seed give the same plan. The course of
 * the run also depends on the service. Times are in milliseconds from the start.
 */

export const CHANNELS = ['chat', 'call', 'video'] as const;
export type Channel = (typeof CHANNELS)[number];

export type Arrival =
  | { readonly kind: 'steady'; readonly perMinute: number }
  /** Rises to `peak` times the capacity of the operators, then falls. */
  | { readonly kind: 'rush'; readonly peak: number };

export interface PlanOptions {
  readonly seed: string;
  readonly durationMs: number;
  readonly operators: number;
  readonly arrival: Arrival;
  readonly handlingMs: number;
  /** Shares of offers. */
  readonly decline: number;
  readonly ignore: number;
  /** Share of operators who disconnect per minute. */
  readonly disconnect: number;
  /** Share of visitors who stop waiting. */
  readonly abandon: number;
  /** Share of visitors who close the page during their conversation. */
  readonly leave: number;
  /** Share of visitors' messages that are announced by typing. */
  readonly typing: number;
  /** Share of visitors who mark messages as read. */
  readonly read: number;
  /** Share of visitors' replies with a file. */
  readonly files: number;
  /** Minutes of absence after which the conversation of a visitor ends; 0 is never. */
  readonly absenceMinutes: number;
  readonly channels: Readonly<Record<Channel, number>>;
  readonly websites: number;
  readonly skills: number;
  readonly groups: number;
  readonly languages: readonly string[];
  /** Speeds up the participants, but not the service's timers. */
  readonly speed: number;
}

/** How a participant disconnects. `silent` neither sends nor reads, like a closed laptop. */
export type Departure = 'reload' | 'cut' | 'silent' | 'sign_off';

export interface Absence {
  readonly atMs: number;
  readonly how: Departure;
  readonly awayMs: number;
}

export interface OperatorPlan {
  readonly index: number;
  readonly channels: readonly Channel[];
  readonly chatMaxNumber: number;
  readonly chatAndCall: boolean;
  readonly priority: 0 | 10;
  readonly websites: readonly number[];
  readonly skills: readonly number[];
  readonly group: number | null;
  readonly languages: readonly string[];
  readonly arriveMs: number;
  readonly absences: readonly Absence[];
  /** Periods in which the operator is unavailable. */
  readonly breaks: readonly { readonly atMs: number; readonly lengthMs: number }[];
}

export interface Need {
  readonly channel: Channel;
  readonly website: number;
  readonly skill: number | null;
  readonly group: number | null;
  readonly language: string;
}

export interface VisitorPlan {
  readonly index: number;
  readonly arriveMs: number;
  readonly need: Need;
  /** How long the visitor waits for an operator; null is without limit. */
  readonly patienceMs: number | null;
  readonly maxReplies: number;
  /** The visitor closes the conversation this long after it was accepted; null leaves it to the operator. */
  readonly closesAfterMs: number | null;
  readonly answersSurvey: boolean;
  /** The connection breaks once, after this time. */
  readonly dropAfterMs: number | null;
  /** The visitor closes the page once, this long after the start; null keeps it open. */
  readonly departure: PageDeparture | null;
  readonly marksAsRead: boolean;
}

export interface PageDeparture {
  readonly afterMs: number;
  /** Null until the end of the run. */
  readonly awayMs: number | null;
}

export interface Plan {
  readonly options: PlanOptions;
  readonly operators: readonly OperatorPlan[];
  readonly visitors: readonly VisitorPlan[];
}

/** No operator speaks it: the service must refuse these conversations immediately. */
export const UNSPOKEN_LANGUAGE = 'eo';
const UNSERVABLE_SHARE = 0.003;
const MAX_OPERATOR_ARRIVAL_MS = 2000;
/** Average time until an offer is answered; it occupies the slot too. */
const OFFER_RESPONSE_MS = 1000;

export function createPlan(options: PlanOptions): Plan {
  const random = new Random(options.seed);
  const operators = Array.from({ length: options.operators }, (_, index) =>
    planOperator(options, index, random.fork(`operator ${index}`)),
  );
  return { options, operators, visitors: planVisitors(options, operators, random) };
}

function planOperator(options: PlanOptions, index: number, random: Random): OperatorPlan {
  const { websites, skills, groups, languages, channels } = options;
  const range = (count: number) => Array.from({ length: count }, (_, number) => number);
  const usedChannels = CHANNELS.filter((channel) => channels[channel] > 0);
  // Every channel has operators, and most operators have several channels.
  const ownChannels = usedChannels.filter(
    (channel, place) => channel === 'chat' || index % 3 === place % 3 || random.chance(0.5),
  );
  return {
    index,
    channels: ownChannels.length > 0 ? ownChannels : usedChannels,
    chatMaxNumber: random.integer(1, 4),
    chatAndCall: random.chance(0.2),
    priority: random.chance(0.1) ? 10 : 0,
    websites: random.chance(0.7) ? range(websites) : random.sample(range(websites), Math.ceil(websites / 2)),
    skills: random.sample(range(skills), random.integer(1, 2)),
    group: groups > 0 && random.chance(0.7) ? random.integer(0, groups - 1) : null,
    languages: [
      languages[index % languages.length] as string,
      ...(random.chance(0.4) ? [random.pick(languages)] : []),
    ].filter((language, place, list) => list.indexOf(language) === place),
    arriveMs: random.between(0, Math.min(MAX_OPERATOR_ARRIVAL_MS, options.durationMs / 10)),
    absences: planAbsences(options, random),
    breaks: planBreaks(options, random),
  };
}

/** Not sped up, because the service's timers matter here: most return within the grace period, some much later. */
function planAbsences({ durationMs, disconnect }: PlanOptions, random: Random): Absence[] {
  const absences: Absence[] = [];
  if (disconnect <= 0) return absences;
  const meanMs = 60_000 / disconnect;
  for (let at = random.exponential(meanMs); at < durationMs; at += random.exponential(meanMs)) {
    const how = random.pickWeighted<Departure>({ reload: 5, cut: 3, silent: 1, sign_off: 1 });
    const awayMs =
      how === 'reload'
        ? random.between(200, 2000)
        : random.pickWeighted({ grace: 5, later: 3, lost: 2 }) === 'grace'
          ? random.between(3000, 9000)
          : random.chance(0.6)
            ? random.between(12_000, 30_000)
            : random.between(65_000, 80_000);
    absences.push({ atMs: at, how, awayMs });
    at += awayMs;
  }
  return absences;
}

function planBreaks({ durationMs, speed }: PlanOptions, random: Random): OperatorPlan['breaks'] {
  const breaks: { atMs: number; lengthMs: number }[] = [];
  const meanMs = 240_000 / speed;
  for (let at = random.exponential(meanMs); at < durationMs; at += random.exponential(meanMs)) {
    const lengthMs = Math.max(500, random.exponential(20_000 / speed));
    breaks.push({ atMs: at, lengthMs });
    at += lengthMs;
  }
  return breaks;
}

function planVisitors(options: PlanOptions, operators: readonly OperatorPlan[], random: Random): VisitorPlan[] {
  const rate = arrivalRate(options, operators);
  const maxRate = Math.max(...Array.from({ length: 101 }, (_, step) => rate((step / 100) * options.durationMs)));
  const arrivals = random.fork('arrivals');
  const visitors: VisitorPlan[] = [];
  if (maxRate <= 0) return visitors;
  // Generate arrivals at the maximum rate and drop some, so that the rest follows the profile.
  for (let at = arrivals.exponential(1 / maxRate); at < options.durationMs; at += arrivals.exponential(1 / maxRate)) {
    if (arrivals.chance(rate(at) / maxRate)) {
      visitors.push(planVisitor(options, operators, visitors.length, at, random.fork(`visitor ${visitors.length}`)));
    }
  }
  return visitors;
}

/** Returns visitors per millisecond at a given time. */
export function arrivalRate(options: PlanOptions, operators: readonly OperatorPlan[]): (atMs: number) => number {
  const { arrival, durationMs } = options;
  if (arrival.kind === 'steady') return () => arrival.perMinute / 60_000;
  const serviceRate = computeServiceRate(options, operators);
  return (atMs) => serviceRate * arrival.peak * rushShare(atMs / durationMs);
}

/** The shape of a rush hour: half the peak at the start, the peak in the middle, a quarter at the end. */
function rushShare(share: number): number {
  if (share < 0.3) return 0.5 + (share / 0.3) * 0.5;
  if (share < 0.6) return 1;
  return 1 - ((share - 0.6) / 0.4) * 0.75;
}

/** Estimates how many conversations per millisecond the operators can handle. */
function computeServiceRate(
  { handlingMs, speed, decline, ignore }: PlanOptions,
  operators: readonly OperatorPlan[],
): number {
  const slots = operators.reduce(
    (sum, operator) => sum + (operator.channels.includes('chat') ? operator.chatMaxNumber : 1),
    0,
  );
  return (slots * (1 - decline - ignore)) / ((handlingMs + OFFER_RESPONSE_MS) / speed);
}

function planVisitor(
  options: PlanOptions,
  operators: readonly OperatorPlan[],
  index: number,
  arriveMs: number,
  random: Random,
): VisitorPlan {
  const { handlingMs, speed, abandon } = options;
  return {
    index,
    arriveMs,
    need: planNeed(options, random.pick(operators), random),
    patienceMs: random.chance(abandon) ? random.between(2000, 60_000) / speed : null,
    maxReplies: random.integer(0, 4),
    closesAfterMs: random.chance(0.2) ? (random.exponential(1) * handlingMs) / speed : null,
    answersSurvey: random.chance(0.3),
    dropAfterMs: random.chance(0.1) ? random.between(500, 30_000) / speed : null,
    departure: planDeparture(options, random.fork('departure')),
    marksAsRead: random.fork('reading').chance(options.read),
  };
}

/**
 * Not sped up, because the service's timers matter here: some return before the service notices, some after it did, and
 * some never.
 */
function planDeparture({ leave, speed }: PlanOptions, random: Random): PageDeparture | null {
  if (!random.chance(leave)) return null;
  const afterMs = random.between(0, 60_000) / speed;
  const stay = random.pickWeighted({ short: 4, long: 3, forever: 3 });
  if (stay === 'forever') return { afterMs, awayMs: null };
  return { afterMs, awayMs: stay === 'short' ? random.between(500, 5000) : random.between(75_000, 110_000) };
}

/** A need that some operator can serve, so that no visitor waits in vain; rarely one that no operator can serve. */
function planNeed({ channels }: PlanOptions, operator: OperatorPlan, random: Random): Need {
  const weights = Object.fromEntries(operator.channels.map((channel) => [channel, channels[channel]]));
  const isUnservable = random.chance(UNSERVABLE_SHARE);
  return {
    channel: random.pickWeighted(weights as Record<Channel, number>),
    website: random.pick(operator.websites),
    skill: operator.skills.length > 0 && random.chance(0.6) ? random.pick(operator.skills) : null,
    group: operator.group !== null && random.chance(0.2) ? operator.group : null,
    language: isUnservable ? UNSPOKEN_LANGUAGE : random.pick(operator.languages),
  };
}
