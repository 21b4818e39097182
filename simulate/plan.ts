import { Random } from './random.ts';

/**
 * Who comes when and what they are like, decided before anything happens: the same options and the same seed give the same
 * plan. How it goes then depends on the service too. Times are in milliseconds from the opening.
 */

export const CHANNELS = ['chat', 'call', 'video'] as const;
export type Channel = (typeof CHANNELS)[number];

export type Arrival =
  | { readonly kind: 'steady'; readonly perMinute: number }
  /** More and more until there are so many times as many as the operators can serve, then less again. */
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
  /** Share of the operators who drop out in a minute. */
  readonly disconnect: number;
  /** Share of the visitors who do not wait for ever. */
  readonly abandon: number;
  readonly channels: Readonly<Record<Channel, number>>;
  readonly websites: number;
  readonly skills: number;
  readonly groups: number;
  readonly languages: readonly string[];
  /** People are so many times as quick; the service's own timers are not. */
  readonly speed: number;
}

/** How somebody is gone: `silent` says nothing and hears nothing, as a notebook that is closed. */
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
  /** Times in which they want nothing. */
  readonly breaks: readonly { readonly atMs: number; readonly forMs: number }[];
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
  /** How long they wait for an operator; null waits as long as it takes. */
  readonly patienceMs: number | null;
  /** How often they answer at most. */
  readonly answers: number;
  /** They close the conversation themself, so long after somebody took it; null leaves that to the operator. */
  readonly closesAfterMs: number | null;
  readonly answersSurvey: boolean;
  /** The connection of their page breaks once, after so long. */
  readonly dropAfterMs: number | null;
}

export interface Plan {
  readonly options: PlanOptions;
  readonly operators: readonly OperatorPlan[];
  readonly visitors: readonly VisitorPlan[];
}

/** Nobody speaks it: whoever asks for it must be told so at once. */
export const UNSPOKEN = 'eo';
const HOPELESS = 0.003;
const ARRIVE_WITHIN_MS = 2000;
/** What an offer costs besides the conversation: until it is answered. */
const ANSWERED_WITHIN_MS = 1000;

export function makePlan(options: PlanOptions): Plan {
  const random = new Random(options.seed);
  const operators = Array.from({ length: options.operators }, (_, index) =>
    planOperator(options, index, random.for(`operator ${index}`)),
  );
  return { options, operators, visitors: planVisitors(options, operators, random) };
}

function planOperator(options: PlanOptions, index: number, random: Random): OperatorPlan {
  const { websites, skills, groups, languages, channels } = options;
  const all = (count: number) => Array.from({ length: count }, (_, number) => number);
  const asked = CHANNELS.filter((channel) => channels[channel] > 0);
  // Somebody is there for every channel, and most for several.
  const own = asked.filter((channel, place) => channel === 'chat' || index % 3 === place % 3 || random.chance(0.5));
  return {
    index,
    channels: own.length > 0 ? own : asked,
    chatMaxNumber: random.whole(1, 4),
    chatAndCall: random.chance(0.2),
    priority: random.chance(0.1) ? 10 : 0,
    websites: random.chance(0.7) ? all(websites) : random.some(all(websites), Math.ceil(websites / 2)),
    skills: random.some(all(skills), random.whole(1, 2)),
    group: groups > 0 && random.chance(0.7) ? random.whole(0, groups - 1) : null,
    languages: [
      languages[index % languages.length] as string,
      ...(random.chance(0.4) ? [random.pick(languages)] : []),
    ].filter((language, place, list) => list.indexOf(language) === place),
    arriveMs: random.between(0, Math.min(ARRIVE_WITHIN_MS, options.durationMs / 10)),
    absences: planAbsences(options, random),
    breaks: planBreaks(options, random),
  };
}

/** Real times, as the service's own timers decide what happens: most are back within the grace, some much later. */
function planAbsences({ durationMs, disconnect }: PlanOptions, random: Random): Absence[] {
  const absences: Absence[] = [];
  if (disconnect <= 0) return absences;
  const meanMs = 60_000 / disconnect;
  for (let at = random.exponential(meanMs); at < durationMs; at += random.exponential(meanMs)) {
    const how = random.weighted<Departure>({ reload: 5, cut: 3, silent: 1, sign_off: 1 });
    const awayMs =
      how === 'reload'
        ? random.between(200, 2000)
        : random.weighted({ grace: 5, later: 3, lost: 2 }) === 'grace'
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
  const breaks: { atMs: number; forMs: number }[] = [];
  const meanMs = 240_000 / speed;
  for (let at = random.exponential(meanMs); at < durationMs; at += random.exponential(meanMs)) {
    const forMs = Math.max(500, random.exponential(20_000 / speed));
    breaks.push({ atMs: at, forMs });
    at += forMs;
  }
  return breaks;
}

function planVisitors(options: PlanOptions, operators: readonly OperatorPlan[], random: Random): VisitorPlan[] {
  const rate = arrivalRate(options, operators);
  const highest = Math.max(...Array.from({ length: 101 }, (_, step) => rate((step / 100) * options.durationMs)));
  const arrivals = random.for('arrivals');
  const visitors: VisitorPlan[] = [];
  if (highest <= 0) return visitors;
  // As many as at the highest rate, of whom some do not come: what remains follows the profile.
  for (let at = arrivals.exponential(1 / highest); at < options.durationMs; at += arrivals.exponential(1 / highest)) {
    if (arrivals.chance(rate(at) / highest)) {
      visitors.push(planVisitor(options, operators, visitors.length, at, random.for(`visitor ${visitors.length}`)));
    }
  }
  return visitors;
}

/** Visitors per millisecond at a moment. */
export function arrivalRate(options: PlanOptions, operators: readonly OperatorPlan[]): (atMs: number) => number {
  const { arrival, durationMs } = options;
  if (arrival.kind === 'steady') return () => arrival.perMinute / 60_000;
  const full = capacity(options, operators);
  return (atMs) => full * arrival.peak * rushShare(atMs / durationMs);
}

/** The shape of a rush hour: half at first, all in the middle, little at the end. */
function rushShare(share: number): number {
  if (share < 0.3) return 0.5 + (share / 0.3) * 0.5;
  if (share < 0.6) return 1;
  return 1 - ((share - 0.6) / 0.4) * 0.75;
}

/** How many conversations the operators can serve per millisecond, roughly. */
function capacity({ handlingMs, speed, decline, ignore }: PlanOptions, operators: readonly OperatorPlan[]): number {
  const slots = operators.reduce(
    (sum, operator) => sum + (operator.channels.includes('chat') ? operator.chatMaxNumber : 1),
    0,
  );
  return (slots * (1 - decline - ignore)) / ((handlingMs + ANSWERED_WITHIN_MS) / speed);
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
    answers: random.whole(0, 4),
    closesAfterMs: random.chance(0.2) ? (random.exponential(1) * handlingMs) / speed : null,
    answersSurvey: random.chance(0.3),
    dropAfterMs: random.chance(0.1) ? random.between(500, 30_000) / speed : null,
  };
}

/** What one of the operators could serve, so that nobody waits in vain; and seldom something that nobody can. */
function planNeed({ channels }: PlanOptions, operator: OperatorPlan, random: Random): Need {
  const weights = Object.fromEntries(operator.channels.map((channel) => [channel, channels[channel]]));
  const hopeless = random.chance(HOPELESS);
  return {
    channel: random.weighted(weights as Record<Channel, number>),
    website: random.pick(operator.websites),
    skill: operator.skills.length > 0 && random.chance(0.6) ? random.pick(operator.skills) : null,
    group: operator.group !== null && random.chance(0.2) ? operator.group : null,
    language: hopeless ? UNSPOKEN : random.pick(operator.languages),
  };
}
