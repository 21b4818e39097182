import { Command, InvalidArgumentError, Option } from 'commander';
import { type Arrival, CHANNELS, type Channel, type PlanOptions } from './plan.ts';

/** What `npm run simulate -- …` takes. */

export interface Settings {
  readonly plan: PlanOptions;
  /** A running service; without one, a server of one's own is started. */
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

interface Given {
  readonly duration: number;
  readonly operators: number;
  readonly arrival: Arrival;
  readonly handling: number;
  readonly decline: number;
  readonly ignore: number;
  readonly disconnect: number;
  readonly abandon: number;
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

export function readSettings(args: readonly string[]): Settings {
  const program = command();
  program.parse(args, { from: 'user' });
  const given = program.opts<Given>();
  const { url = [], email, password, token } = given;
  if (url.length > 0 && token === undefined && (email === undefined || password === undefined))
    program.error('error: a running service needs an admin: --token, or --email and --password');
  if (given.decline + given.ignore >= 1) program.error('error: --decline and --ignore together must be less than 1');
  return {
    plan: {
      seed: given.seed ?? String(Math.floor(Math.random() * 1e9)),
      durationMs: given.duration * 1000,
      handlingMs: given.handling * 1000,
      ...pick(given, 'operators', 'arrival', 'decline', 'ignore', 'disconnect', 'abandon', 'channels', 'websites'),
      ...pick(given, 'skills', 'groups', 'languages', 'speed'),
    },
    urls: url.map((one) => one.replace(/\/$/, '')),
    ...{ email, password, token, keep: given.keep ?? false, offerSeconds: given.offerSeconds },
    ...{ report: given.report, json: given.json, journal: given.journal, profile: given.profile },
  };
}

function command(): Command {
  return new Command('npm run simulate --')
    .description(
      'Lets visitors and operators meet, through the public interfaces of the service and nothing else, and checks from what they saw that everything that must hold held. ' +
        'Ends with a report; with 1 when something was broken. Without --url it starts a service of its own.',
    )
    .option('--duration <seconds>', 'how long visitors come', number(1, DAY_SECONDS), 60)
    .option('--operators <number>', 'operators', whole(1, 1000), 20)
    .addOption(
      new Option(
        '--arrival <rate>',
        'conversations per minute; or rush:<peak>, which rises to so many times what the operators can serve',
      )
        .argParser(arrival)
        .default({ kind: 'rush', peak: 1.2 }, 'rush:1.2'),
    )
    .option('--handling <seconds>', 'how long a conversation takes, on average', number(0.1, DAY_SECONDS), 120)
    .option('--decline <share>', 'share of the offers that are declined', share, 0.08)
    .option('--ignore <share>', 'share of the offers that are left to time out', share, 0.03)
    .option('--disconnect <share>', 'share of the operators who drop out in a minute', number(0, 60), 0.3)
    .option('--abandon <share>', 'share of the visitors who do not wait for ever', share, 0.15)
    .addOption(
      new Option('--channels <mix>', 'weights of the channels')
        .argParser(channels)
        .default({ chat: 8, call: 1, video: 1 }, 'chat:8,call:1,video:1'),
    )
    .option('--websites <number>', 'websites', whole(1, 50), 3)
    .option('--skills <number>', 'skills', whole(0, 50), 5)
    .option('--groups <number>', 'groups', whole(0, 50), 3)
    .addOption(
      new Option('--languages <list>', 'languages (ISO 639-1)')
        .argParser((text) => text.split(','))
        .default(['en', 'fr', 'de'], 'en,fr,de'),
    )
    .option(
      '--speed <times>',
      "people are so many times as quick: handling, answers, patience; the service's timers are not",
      number(0.1, 1000),
      10,
    )
    .option('--seed <text>', 'decides everything that is random: the same seed, the same plan')
    .option('--offer-seconds <seconds>', 'how long offers wait for an answer (own service only)', whole(5, 300))
    .option('--url <address...>', 'a running service, or several nodes of it')
    .option('--email <address>', 'an admin of the running service')
    .option('--password <password>', 'their password')
    .option('--token <token>', 'a token of theirs, instead')
    .option('--keep', 'leave the simulated operators in the running service')
    .option('--report <file>', 'write the report as an HTML page')
    .option('--json <file>', 'write the report as JSON')
    .option('--journal <file>', 'write all that the clients saw, a line of JSON each')
    .option('--profile <folder>', 'write a processor profile of the own service')
    .showHelpAfterError('(--help shows the options)');
}

function pick<T, Name extends keyof T>(from: T, ...names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}

function number(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= least && value <= most))
      throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
    return value;
  };
}

function whole(least: number, most: number): (text: string) => number {
  const read = number(least, most);
  return (text) => {
    const value = read(text);
    if (!Number.isInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
    return value;
  };
}

const share = number(0, 1);

function arrival(text: string): Arrival {
  const [, peak] = /^rush(?::(.+))?$/.exec(text) ?? [];
  if (text.startsWith('rush')) return { kind: 'rush', peak: peak === undefined ? 1.2 : number(0.01, 100)(peak) };
  return { kind: 'steady', perMinute: number(0, 1e6)(text) };
}

function channels(text: string): Record<Channel, number> {
  const weights: Record<Channel, number> = { chat: 0, call: 0, video: 0 };
  for (const part of text.split(',')) {
    const [name = '', weight = '1'] = part.split(':');
    const channel = CHANNELS.find((one) => one === name);
    if (!channel) throw new InvalidArgumentError(`The channels are ${CHANNELS.join(', ')}.`);
    weights[channel] = number(0, 1e6)(weight);
  }
  if (CHANNELS.every((channel) => weights[channel] === 0)) throw new InvalidArgumentError('One must have a weight.');
  return weights;
}
