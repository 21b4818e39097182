import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

const commaSeparatedList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const secondsBetween = (min: number, max: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}` });

const days = z.coerce
  .number({ error: 'must be a number of days' })
  .int({ error: 'must be a whole number of days' })
  .min(1, { error: 'must be at least 1' })
  .max(36_500, { error: 'must be at most 36500' });

/** Also for limits per hour. */
const perMinute = z.coerce
  .number({ error: 'must be a number' })
  .int({ error: 'must be a whole number' })
  .min(0, { error: 'must be at least 0' })
  .max(10_000, { error: 'must be at most 10000' });

const megabytes = (min: number, max: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int({ error: 'must be a whole number' })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}` });

/** Every setting with its description. docs/configuration.md is generated from this. */
export const settings = z.object({
  PORT: z.coerce
    .number({ error: 'must be a port number' })
    .int({ error: 'must be a port number' })
    .min(0, { error: 'must be a port number' })
    .max(65_535, { error: 'must be a port number' })
    .default(8080)
    .meta({ description: 'Port to listen on; 0 lets the system choose.' }),
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
        'Database: `sqlite:<path>` (a missing folder is created), or `postgres://<user>:<password>@<host>/<database>` for one or more nodes.',
    }),
  SWITCHBOARD_SECRET: z.string().min(32, { error: 'must have at least 32 characters' }).optional().meta({
    description:
      'Installation secret of at least 32 characters. Single sign-on keys are derived from it; webhook secrets and the positions that visitors receive are encrypted with it. Required with PostgreSQL. By default one is created and stored in the file `secret` next to the database.',
  }),
  SWITCHBOARD_ADMIN_EMAIL: z
    .email({ error: 'must be an e-mail address' })
    .optional()
    .meta({ description: 'E-mail address of the first admin; used only on an empty database.' }),
  SWITCHBOARD_ADMIN_PASSWORD: z
    .string()
    .min(10, { error: 'must have 10 to 200 characters' })
    .max(200, { error: 'must have 10 to 200 characters' })
    .optional()
    .meta({ description: 'Password of the first admin; used only on an empty database.' }),
  SWITCHBOARD_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/, { error: 'must be 20 to 200 visible ASCII characters' })
    .optional()
    .meta({ description: 'The first API key; used only on an empty database.' }),
  SWITCHBOARD_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .meta({ description: 'Public URL of the service, if it differs from the address that the server listens on.' }),
  SWITCHBOARD_TLS_CERT: z
    .string()
    .optional()
    .meta({ description: 'Certificate file (PEM). Set it together with the key to enable HTTPS.' }),
  SWITCHBOARD_TLS_KEY: z.string().optional().meta({ description: 'Private key file (PEM).' }),
  SWITCHBOARD_HSTS: z
    .string()
    .regex(/^max-age=\d{1,10}(; includeSubDomains)?(; preload)?$/, {
      error: 'must be like max-age=31536000; includeSubDomains; preload',
    })
    .default('max-age=31536000')
    .meta({
      description:
        'The header `Strict-Transport-Security`, sent if the service itself speaks TLS: browsers use only HTTPS for this host from then on. `max-age=0` takes it back. A proxy that ends TLS sends its own.',
    }),
  SWITCHBOARD_TRUSTED_PROXIES: commaSeparatedList
    .refine((proxies) => proxies.every(isNetwork), { error: 'must be addresses or networks, separated by commas' })
    .default([])
    .meta({
      description:
        'Addresses or networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For`, `-Host` and `-Proto` headers are trusted. Without it, all users behind a proxy share the login limit of its address.',
    }),
  SWITCHBOARD_CORS_ORIGINS: commaSeparatedList
    .refine((origins) => origins.every(isOrigin), {
      error: 'must be origins like https://app.example.com, separated by commas',
    })
    .default([])
    .meta({
      description:
        'Origins whose pages can call the service from a browser, and open WebSockets at `/graphql`. The pages of the service itself always can.',
    }),
  SWITCHBOARD_COMPRESSION: z.enum(['0', '1'], { error: 'must be 0 or 1' }).default('1').meta({
    description:
      'Compresses responses of more than 1.4 kB (zstd, Brotli or gzip, at a fast level) for clients that ask for it. `0` leaves that to a proxy, except for the files of the pages, which are compressed only once.',
  }),
  SWITCHBOARD_REST_SUNSET: z.iso
    .date({ error: 'must be a date like 2027-12-31' })
    .transform((text) => new Date(text))
    .optional()
    .meta({ description: 'Date on which the REST interface will be removed; announced in the `Sunset` header.' }),
  SWITCHBOARD_WEBHOOK_PRIVATE: z.enum(['0', '1'], { error: 'must be 0 or 1' }).default('0').meta({
    description:
      '`1` allows webhooks to private and loopback addresses. Set it only if every admin of every account may reach this network.',
  }),
  SWITCHBOARD_EVENT_DAYS: days.default(90).meta({
    description:
      'Retention of the event log in days: how far back subscriptions and webhooks can catch up, and admins can search.',
  }),
  SWITCHBOARD_HISTORY_DAYS: days.default(400).meta({
    description:
      'Retention of the live history (connected time), of routing decisions and of left messages that are done, in days.',
  }),
  SWITCHBOARD_VISITOR_DAYS: days.default(30).meta({
    description:
      'Days after which visitors who never had a conversation are deleted, counted from when they last opened or renewed a session.',
  }),
  SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: perMinute.default(30).meta({
    description: 'Visitor sessions per minute from one address; 0 for no limit.',
  }),
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: perMinute
    .default(10)
    .meta({ description: 'Attempts per minute to start a conversation by one visitor; 0 for no limit.' }),
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: perMinute.default(60).meta({
    description: 'Attempts per minute to start a conversation from one address; 0 for no limit.',
  }),
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: perMinute
    .default(60)
    .meta({ description: 'Messages per minute by one visitor; 0 for no limit.' }),
  SWITCHBOARD_VISITOR_RENEWALS_PER_MINUTE: perMinute
    .default(5)
    .meta({ description: 'Renewals of sessions per minute by one visitor; 0 for no limit.' }),
  SWITCHBOARD_VISITOR_ADDRESS_RENEWALS_PER_MINUTE: perMinute
    .default(60)
    .meta({ description: 'Renewals of visitor sessions per minute from one address; 0 for no limit.' }),
  SWITCHBOARD_VISITOR_CONTEXTS_PER_MINUTE: perMinute
    .default(30)
    .meta({ description: 'Changes of the context (page, custom fields) per minute by one visitor; 0 for no limit.' }),
  SWITCHBOARD_ATTACHMENT_MEGABYTES: megabytes(1, 100)
    .default(10)
    .meta({ description: 'Size of a file that visitors and operators can send, in megabytes.' }),
  SWITCHBOARD_ACCOUNT_ATTACHMENT_MEGABYTES: megabytes(0, 100_000_000).default(10_000).meta({
    description: 'Space for all files of an account, in megabytes. They are stored in the database.',
  }),
  SWITCHBOARD_UPLOADS_PER_MINUTE: perMinute
    .default(20)
    .meta({ description: 'Files per minute by one visitor, operator or API key; 0 for no limit.' }),
  SWITCHBOARD_ADDRESS_UPLOADS_PER_MINUTE: perMinute
    .default(120)
    .meta({ description: 'Files per minute from one address; 0 for no limit.' }),
  SWITCHBOARD_ADDRESS_UPLOADS_AT_ONCE: z.coerce
    .number({ error: 'must be a number' })
    .int({ error: 'must be a whole number' })
    .min(1, { error: 'must be at least 1' })
    .max(200, { error: 'must be at most 200' })
    .default(20)
    .meta({ description: 'Files that one address can send at the same time, to each node.' }),
  SWITCHBOARD_UPLOAD_TIMEOUT: secondsBetween(0.1, 3600)
    .default(120)
    .meta({ description: 'Seconds within which a file must arrive, instead of `SWITCHBOARD_REQUEST_TIMEOUT`.' }),
  SWITCHBOARD_VISITOR_MESSAGES_LEFT_PER_HOUR: perMinute
    .default(10)
    .meta({ description: 'Messages that visitors leave per hour from one address; 0 for no limit.' }),
  SWITCHBOARD_VISITOR_SOCKETS: perMinute.default(5).meta({
    description:
      'WebSockets of one visitor at the same time, on each node; 0 for no limit. More are closed with the code 4429.',
  }),
  SWITCHBOARD_VISITOR_ADDRESS_SOCKETS: perMinute.default(100).meta({
    description:
      'WebSockets of visitors from one address (or IPv6 /64) at the same time, on each node; 0 for no limit. More are closed with the code 4429.',
  }),
  SWITCHBOARD_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      error: 'must be trace, debug, info, warn, error or silent',
    })
    .default('info')
    .meta({ description: 'Log level. Successful reads are logged at `debug`.' }),
  SWITCHBOARD_METRICS_TOKEN: z.string().min(16, { error: 'must have at least 16 characters' }).optional().meta({
    description:
      'The bearer token for `/metrics`, at least 16 characters. Without it, `/metrics` answers only direct requests from the same machine.',
  }),
  SWITCHBOARD_HEADERS_TIMEOUT: secondsBetween(0.1, 600)
    .default(10)
    .meta({ description: 'Seconds within which the headers of a request must arrive.' }),
  SWITCHBOARD_REQUEST_TIMEOUT: secondsBetween(0.1, 600)
    .default(30)
    .meta({ description: 'Seconds within which the whole request must arrive.' }),
  SWITCHBOARD_WRITE_TIMEOUT: secondsBetween(0.1, 600).default(30).meta({
    description: 'Seconds after which a client is disconnected that does not read its response.',
  }),
  SWITCHBOARD_OVERLOAD_SECONDS: secondsBetween(0.01, 600).default(0.2).meta({
    description:
      'Seconds that requests may wait in a burst. If some have been waiting for longer without a break, the service is overloaded: it refuses requests (503), anonymous ones first, and the others wait a quarter of this time at most.',
  }),
  SWITCHBOARD_SLOW_READ_TIMEOUT: secondsBetween(0.01, 600)
    .default(2)
    .meta({ description: 'Seconds after which a read without an index is aborted (503).' }),
  SWITCHBOARD_STOP_TIMEOUT: secondsBetween(0, 600)
    .default(10)
    .meta({ description: 'Seconds that running requests have to finish when the service stops.' }),
  SWITCHBOARD_DRAIN_SECONDS: secondsBetween(0, 600).optional().meta({
    description:
      'Seconds for which a stopping node keeps serving while `/_ready` already returns 503, so that load balancers stop sending requests to it first. Set it longer than they take to notice. Default: 5 on PostgreSQL, 0 on the embedded database, which has only one node. Skipped if `/_ready` was not requested in the last minute.',
  }),
});

export type Settings = z.output<typeof settings>;

export interface Config extends Settings {
  /** The file of the embedded database; undefined on PostgreSQL. */
  readonly databaseFile: string | undefined;
  readonly drainMs: number;
}

const DEFAULT_DRAIN_SECONDS = { embedded: 0, postgres: 5 };

/** Lists all problems, so that they can be fixed together. */
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

/** The only code that reads the environment. An empty variable counts as not set. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const variables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = settings.safeParse(variables);
  const problems = result.success
    ? []
    : result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`);
  problems.push(...findUnknownSettings(variables), ...findIncompleteTls(variables), ...findMissingSecret(variables));
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  const { DATABASE_URL: url, SWITCHBOARD_DRAIN_SECONDS: drainSeconds } = result.data;
  const isEmbedded = url.startsWith('sqlite:');
  return {
    ...result.data,
    databaseFile: isEmbedded ? resolve(url.slice('sqlite:'.length)) : undefined,
    drainMs: (drainSeconds ?? (isEmbedded ? DEFAULT_DRAIN_SECONDS.embedded : DEFAULT_DRAIN_SECONDS.postgres)) * 1000,
  };
}

/** Otherwise a misspelled setting would be silently ignored. */
function findUnknownSettings(variables: Record<string, string | undefined>): string[] {
  return Object.keys(variables)
    .filter((name) => name.startsWith('SWITCHBOARD_') && !(name in settings.shape))
    .map((name) => `${name} is not a setting; see docs/configuration.md.`);
}

/** All nodes must share the same secret, so no node can create one. */
function findMissingSecret({
  DATABASE_URL: url,
  SWITCHBOARD_SECRET: secret,
}: Record<string, string | undefined>): string[] {
  if (!url?.startsWith('postgres') || secret !== undefined) return [];
  return ['SWITCHBOARD_SECRET must be set with PostgreSQL, to the same value on every node.'];
}

function findIncompleteTls({
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
