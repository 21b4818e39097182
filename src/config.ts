import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const seconds = (least: number, most: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .min(least, { error: `must be at least ${least}` })
    .max(most, { error: `must be at most ${most}` });

const days = z.coerce
  .number({ error: 'must be a number of days' })
  .int({ error: 'must be a number of days' })
  .min(1, { error: 'must be at least 1' })
  .max(36_500, { error: 'must be at most 36500' });

const perMinute = z.coerce
  .number({ error: 'must be a number' })
  .int({ error: 'must be a whole number' })
  .min(0, { error: 'must be at least 0' })
  .max(10_000, { error: 'must be at most 10000' });

/** Every setting, with its meaning. The page docs/configuration.md is made from this. */
export const settings = z.object({
  PORT: z.coerce
    .number({ error: 'must be a port number' })
    .int({ error: 'must be a port number' })
    .min(0, { error: 'must be a port number' })
    .max(65_535, { error: 'must be a port number' })
    .default(8080)
    .meta({ description: 'Port of the server; 0 lets the system choose.' }),
  HOST: z
    .string()
    .min(1, { error: 'must be an address or a host name' })
    .default('127.0.0.1')
    .meta({ description: 'Address to listen on. `0.0.0.0` makes the service reachable from other machines.' }),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)/, {
      error: 'must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>',
    })
    .default('sqlite:data/switchboard.db')
    .meta({
      description:
        'Where the data is: `sqlite:<path>` (the folder is made when it is missing), or `postgres://<user>:<password>@<host>/<database>` for one node or several.',
    }),
  SWITCHBOARD_SECRET: z.string().min(32, { error: 'must have at least 32 characters' }).optional().meta({
    description:
      'The secret of the installation, from which single sign-on keys are derived and with which secrets of webhooks are encrypted. Left out, one is made and kept in the file `secret` beside the database.',
  }),
  SWITCHBOARD_ADMIN_EMAIL: z
    .email({ error: 'must be an e-mail address' })
    .optional()
    .meta({ description: 'E-mail of the first admin; looked at on an empty database only.' }),
  SWITCHBOARD_ADMIN_PASSWORD: z
    .string()
    .min(10, { error: 'must have 10 to 200 characters' })
    .max(200, { error: 'must have 10 to 200 characters' })
    .optional()
    .meta({ description: 'Password of the first admin; looked at on an empty database only.' }),
  SWITCHBOARD_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/, { error: 'must be 20 to 200 visible ASCII characters' })
    .optional()
    .meta({ description: 'The first API key; looked at on an empty database only.' }),
  SWITCHBOARD_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .meta({ description: 'The address that users see, where it differs from the one that the server listens on.' }),
  SWITCHBOARD_TLS_CERT: z
    .string()
    .optional()
    .meta({ description: 'File with the certificate (PEM). Together with the key it turns on HTTPS.' }),
  SWITCHBOARD_TLS_KEY: z.string().optional().meta({ description: 'File with the private key (PEM).' }),
  SWITCHBOARD_TRUSTED_PROXIES: list
    .refine((proxies) => proxies.every(isNetwork), { error: 'must be addresses or networks, separated by commas' })
    .default([])
    .meta({
      description:
        'Addresses or networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is believed. Without it all users behind a proxy share the login limit of its address.',
    }),
  SWITCHBOARD_CORS_ORIGINS: list
    .refine((origins) => origins.every(isOrigin), {
      error: 'must be origins like https://app.example.com, separated by commas',
    })
    .default([])
    .meta({ description: 'Origins whose pages may call the service from a browser.' }),
  SWITCHBOARD_REST_SUNSET: z.iso
    .date({ error: 'must be a date like 2027-12-31' })
    .transform((text) => new Date(text))
    .optional()
    .meta({ description: 'The day on which the REST interface will be gone; announced in the header `Sunset`.' }),
  SWITCHBOARD_WEBHOOK_PRIVATE: z.enum(['0', '1'], { error: 'must be 0 or 1' }).default('0').meta({
    description:
      '`1` lets webhooks go to private and loopback addresses. Only where every admin of every account may reach this network.',
  }),
  SWITCHBOARD_EVENT_DAYS: days.default(90).meta({
    description:
      'Days for which the event log is kept: what subscriptions and webhooks can catch up on, and admins look up.',
  }),
  SWITCHBOARD_HISTORY_DAYS: days.default(400).meta({
    description: 'Days for which past live states (hours worked) and routing decisions are kept.',
  }),
  SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: perMinute.default(30).meta({
    description: 'Sessions that visitors may open from one address within a minute; 0 for any number.',
  }),
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: perMinute
    .default(10)
    .meta({ description: 'Conversations that one visitor may try to start within a minute; 0 for any number.' }),
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: perMinute.default(60).meta({
    description: 'Conversations that may be started from one address within a minute; 0 for any number.',
  }),
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: perMinute
    .default(60)
    .meta({ description: 'Messages that one visitor may send within a minute; 0 for any number.' }),
  SWITCHBOARD_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      error: 'must be trace, debug, info, warn, error or silent',
    })
    .default('info')
    .meta({ description: 'How much is logged. Reads that went well are logged at `debug`.' }),
  SWITCHBOARD_METRICS_TOKEN: z
    .string()
    .min(16, { error: 'must have at least 16 characters' })
    .optional()
    .meta({ description: 'When set, `/metrics` wants it as bearer token.' }),
  SWITCHBOARD_HEADERS_TIMEOUT: seconds(0.1, 600)
    .default(10)
    .meta({ description: 'Seconds in which the headers of a request must arrive.' }),
  SWITCHBOARD_REQUEST_TIMEOUT: seconds(0.1, 600)
    .default(30)
    .meta({ description: 'Seconds in which a whole request must arrive.' }),
  SWITCHBOARD_SLOW_READ_TIMEOUT: seconds(0.01, 600)
    .default(2)
    .meta({ description: 'Seconds after which a read that no index serves is given up (503).' }),
  SWITCHBOARD_STOP_TIMEOUT: seconds(0, 600)
    .default(10)
    .meta({ description: 'Seconds that running requests get to finish when the service is stopped.' }),
  SWITCHBOARD_DRAIN_SECONDS: seconds(0, 600).optional().meta({
    description:
      'Seconds for which a node that is stopped goes on serving while `/_ready` says 503 already, so that load balancers turn away from it first: longer than they take to notice. Left out: 5 on PostgreSQL, 0 on the embedded database, which has no other node. Nobody is waited for where nobody asked `/_ready` in the last minute.',
  }),
});

export type Settings = z.output<typeof settings>;

export interface Config extends Settings {
  /** The file of the embedded database; undefined on PostgreSQL. */
  readonly databaseFile: string | undefined;
  readonly drainMs: number;
}

const DRAIN_SECONDS = { embedded: 0, postgres: 5 };

/** Thrown with everything that is wrong, so that one start shows all of it. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** The only reader of the environment. An empty variable counts as left out. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = settings.safeParse(given);
  const problems = result.success
    ? []
    : result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`);
  problems.push(...unknownSettings(given), ...halfTls(given), ...missingSecret(given));
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  const { DATABASE_URL: url, SWITCHBOARD_DRAIN_SECONDS: drain } = result.data;
  const embedded = url.startsWith('sqlite:');
  return {
    ...result.data,
    databaseFile: embedded ? resolve(url.slice('sqlite:'.length)) : undefined,
    drainMs: (drain ?? (embedded ? DRAIN_SECONDS.embedded : DRAIN_SECONDS.postgres)) * 1000,
  };
}

/** A misspelt setting would be ignored in silence. */
function unknownSettings(given: Record<string, string | undefined>): string[] {
  return Object.keys(given)
    .filter((name) => name.startsWith('SWITCHBOARD_') && !(name in settings.shape))
    .map((name) => `${name} is not a setting; see docs/configuration.md.`);
}

/** All nodes must have the same, so none of them may make one. */
function missingSecret({
  DATABASE_URL: url,
  SWITCHBOARD_SECRET: secret,
}: Record<string, string | undefined>): string[] {
  if (!url?.startsWith('postgres') || secret !== undefined) return [];
  return ['SWITCHBOARD_SECRET must be set with PostgreSQL: the same on every node.'];
}

function halfTls({
  SWITCHBOARD_TLS_CERT: cert,
  SWITCHBOARD_TLS_KEY: key,
}: Record<string, string | undefined>): string[] {
  if ((cert === undefined) === (key === undefined)) return [];
  return ['SWITCHBOARD_TLS_CERT and SWITCHBOARD_TLS_KEY must be set together.'];
}

function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0) return false;
  if (bits === undefined) return true;
  try {
    new BlockList().addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
    return /^\d+$/.test(bits);
  } catch {
    return false;
  }
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.origin === text;
}
