import { Command, InvalidArgumentError, Option } from 'commander';
import { type Arrival, CHANNELS, type Channel, type PlanOptions } from './plan.ts';

/** The options of `npm run simulate`. */

export interface SimulationSettings {
  readonly plan: PlanOptions;
  /** The URLs of a running service. If empty, a temporary server is started. */
  readonly urls: readonly string[];
  readonly email: string | undefined;
  readonly password: string | undefined;
  readonly token: string | undefined;
  readonly keep: boolean;
  readonly offerSeconds: number | undefined;
  readonly report: string | undefined;
  readonly json: string | undefined;
  readonly journal: string | undefined;
  readonly profile: string | undefined;
}

interface CommandOptions {
  readonly duration: number;
  readonly operators: number;
  readonly arrival: Arrival;
  readonly handling: number;
  readonly decline: number;
  readonly ignore: number;
  readonly disconnect: number;
  readonly abandon: number;
  readonly leave: number;
  readonly typing: number;
  readonly read: number;
  readonly files: number;
  readonly absenceMinutes: number;
  readonly channels: Readonly<Record<Channel, number>>;
  readonly websites: number;
  readonly skills: number;
  readonly groups: number;
  readonly languages: readonly string[];
  readonly speed: number;
  readonly seed?: string;
  readonly url?: string[];
  readonly email?: string;
  readonly password?: string;
  readonly token?: string;
  readonly keep?: true;
  readonly offerSeconds?: number;
  readonly report?: string;
  readonly json?: string;
  readonly journal?: string;
  readonly profile?: string;
}

const DAY_SECONDS = 24 * 3600;

export function readSettings(args: readonly string[]): SimulationSettings {
  const program = createCommand();
  program.parse(args, { from: 'user' });
  const options = program.opts<CommandOptions>();
  const { url = [], email, password, token } = options;
  if (url.length > 0 && token === undefined && (email === undefined || password === undefined))
    program.error('error: a running service needs an admin: --token, or --email and --password');
  if (options.decline + options.ignore >= 1)
    program.error('error: --decline and --ignore together must be less than 1');
  return {
    plan: {
      seed: options.seed ?? String(Math.floor(Math.random() * 1e9)),
      durationMs: options.duration * 1000,
      handlingMs: options.handling * 1000,
      ...pick(options, 'operators', 'arrival', 'decline', 'ignore', 'disconnect', 'abandon', 'channels', 'websites'),
      ...pick(options, 'skills', 'groups', 'languages', 'speed', 'leave', 'typing', 'read', 'files', 'absenceMinutes'),
    },
    urls: url.map((one) => one.replace(/\/$/, '')),
    ...{ email, password, token, keep: options.keep ?? false, offerSeconds: options.offerSeconds },
    ...{ report: options.report, json: options.json, journal: options.journal, profile: options.profile },
  };
}

function createCommand(): Command {
  return new Command('npm run simulate --')
    .description(
      'Simulates visitors and operators through the public interfaces of the service, and checks from what they saw that every rule held. ' +
        'Prints a report at the end. The exit code is 1 if a rule was broken. Without --url it starts a temporary service.',
    )
    .option('--duration <seconds>', 'how long visitors arrive', numberBetween(1, DAY_SECONDS), 60)
    .option('--operators <number>', 'number of operators', integerBetween(1, 1000), 20)
    .addOption(
      new Option(
        '--arrival <rate>',
        'conversations per minute, or rush:<peak>, which peaks at <peak> times the capacity of the operators',
      )
        .argParser(parseArrival)
        .default({ kind: 'rush', peak: 1.2 }, 'rush:1.2'),
    )
    .option('--handling <seconds>', 'average length of a conversation', numberBetween(0.1, DAY_SECONDS), 120)
    .option('--decline <share>', 'share of offers that are declined', parseShare, 0.08)
    .option('--ignore <share>', 'share of offers that time out', parseShare, 0.03)
    .option('--disconnect <share>', 'share of operators who disconnect per minute', numberBetween(0, 60), 0.3)
    .option('--abandon <share>', 'share of visitors who stop waiting', parseShare, 0.15)
    .option('--leave <share>', 'share of visitors who close the page; most of them return', parseShare, 0.15)
    .option('--typing <share>', "share of visitors' messages that are announced by typing", parseShare, 0.5)
    .option('--read <share>', 'share of visitors who mark messages as read', parseShare, 0.5)
    .option('--files <share>', "share of visitors' replies with a file", parseShare, 0.1)
    .option(
      '--absence-minutes <minutes>',
      'after which the conversation of a visitor who left ends; 0 is never',
      integerBetween(0, 1440),
      1,
    )
    .addOption(
      new Option('--channels <mix>', 'weights of the channels')
        .argParser(parseChannels)
        .default({ chat: 8, call: 1, video: 1 }, 'chat:8,call:1,video:1'),
    )
    .option('--websites <number>', 'number of websites', integerBetween(1, 50), 3)
    .option('--skills <number>', 'number of skills', integerBetween(0, 50), 5)
    .option('--groups <number>', 'number of groups', integerBetween(0, 50), 3)
    .addOption(
      new Option('--languages <list>', 'languages (ISO 639-1)')
        .argParser((text) => text.split(','))
        .default(['en', 'fr', 'de'], 'en,fr,de'),
    )
    .option(
      '--speed <times>',
      "speeds up the participants (handling, replies, patience), but not the service's timers",
      numberBetween(0.1, 1000),
      10,
    )
    .option('--seed <text>', 'random seed: the same seed gives the same plan')
    .option('--offer-seconds <seconds>', 'how long offers stay open (temporary service only)', integerBetween(5, 300))
    .option('--url <address...>', 'a running service, or several of its nodes')
    .option('--email <address>', 'an admin of the running service')
    .option('--password <password>', 'password of the admin')
    .option('--token <token>', 'access token of the admin, instead of --email and --password')
    .option('--keep', 'keep the simulated operators in the running service')
    .option('--report <file>', 'write the report as an HTML page')
    .option('--json <file>', 'write the report as JSON')
    .option('--journal <file>', 'write everything that the clients saw, one JSON object per line')
    .option('--profile <folder>', 'write CPU profiles of the temporary service')
    .showHelpAfterError('(--help shows the options)');
}

function pick<T, Name extends keyof T>(from: T, ...names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}

function numberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max))
      throw new InvalidArgumentError(`Expected a number from ${min} to ${max}.`);
    return value;
  };
}

function integerBetween(min: number, max: number): (text: string) => number {
  const parseNumber = numberBetween(min, max);
  return (text) => {
    const value = parseNumber(text);
    if (!Number.isInteger(value)) throw new InvalidArgumentError('Expected a whole number.');
    return value;
  };
}

const parseShare = numberBetween(0, 1);

function parseArrival(text: string): Arrival {
  const [, peak] = /^rush(?::(.+))?$/.exec(text) ?? [];
  if (text.startsWith('rush')) return { kind: 'rush', peak: peak === undefined ? 1.2 : numberBetween(0.01, 100)(peak) };
  return { kind: 'steady', perMinute: numberBetween(0, 1e6)(text) };
}

function parseChannels(text: string): Record<Channel, number> {
  const weights: Record<Channel, number> = { chat: 0, call: 0, video: 0 };
  for (const part of text.split(',')) {
    const [name = '', weight = '1'] = part.split(':');
    const channel = CHANNELS.find((one) => one === name);
    if (!channel) throw new InvalidArgumentError(`The channels are ${CHANNELS.join(', ')}.`);
    weights[channel] = numberBetween(0, 1e6)(weight);
  }
  if (CHANNELS.every((channel) => weights[channel] === 0))
    throw new InvalidArgumentError('At least one channel must have a weight above 0.');
  return weights;
}
