// Runs the conformance tests against any service that implements the interface, or against a temporary one.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `Checks whether a service conforms to the interface, clause by clause.

  npm run conformance                                      starts a temporary service and checks it
  npm run conformance -- --url <address> --key <API key>   checks the service at that address

Options
  --url <address>     the base URL of /api/2 and /oauth2/token, for example http://127.0.0.1:3000
  --key <key>         an API key with write access
  --email <e-mail>    a user who can log in; without it, tests that need a login are skipped
  --password <text>   the user's password
  --ha-url <address>  the URL of the high-availability platform with the same data, if there is one
  --help              show this text

Each option can also be set in the environment, which keeps secrets out of the process list:
CONFORMANCE_URL, CONFORMANCE_KEY, CONFORMANCE_EMAIL, CONFORMANCE_PASSWORD, CONFORMANCE_HA_URL.

The tests create operators, groups, skills and websites with names that start with "conformance-", and delete them at
the end. The only other data they change are operators of the demo data (external ids demo-1, demo-2, …).
They log in about 40 times. Logins are rate-limited: run the tests at most twice a minute.`;

const OPTION_NAMES = ['url', 'key', 'email', 'password', 'ha-url'] as const;
type Settings = Partial<Record<(typeof OPTION_NAMES)[number], string>>;

class UsageError extends Error {}

try {
  const settings = readSettings();
  if (settings) {
    await checkService(settings);
    runTests(settings);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\nSee: npm run conformance -- --help`);
  process.exitCode = 2;
}

/** Returns undefined if only the help was requested. */
function readSettings(): Settings | undefined {
  const options = parseOptions();
  if (options.help) {
    console.log(HELP);
    return undefined;
  }
  const settings: Settings = {};
  for (const name of OPTION_NAMES) {
    const value = options[name] ?? process.env[variableName(name)];
    if (value === '' && options[name] !== undefined) throw new UsageError(`--${name} is empty.`);
    if (value) settings[name] = value;
  }
  const { url, key, email, password } = settings;
  if (!url && Object.keys(settings).length > 0) {
    throw new UsageError(`--${Object.keys(settings)[0]} needs --url as well.`);
  }
  if (url && !key) throw new UsageError('--url needs --key: an API key of that service with write access.');
  if ((email === undefined) !== (password === undefined)) {
    throw new UsageError('--email and --password must be used together.');
  }
  for (const name of ['url', 'ha-url'] as const) {
    const address = settings[name];
    if (address) settings[name] = checkUrl(name, address);
  }
  return settings;
}

function parseOptions() {
  try {
    const text = { type: 'string' } as const;
    const options = {
      url: text,
      key: text,
      email: text,
      password: text,
      'ha-url': text,
      help: { type: 'boolean' },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function checkUrl(name: string, address: string): string {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.search || url.hash) {
    throw new UsageError(`--${name} must be a URL such as http://127.0.0.1:3000, not ${address}.`);
  }
  if (url.username || url.password)
    throw new UsageError(`--${name} must not contain a user: pass the API key with --key.`);
  const baseUrl = url.href.replace(/\/+$/, '');
  if (baseUrl.endsWith('/api/2')) throw new UsageError(`--${name} must not end with /api/2: the tests add it.`);
  return baseUrl;
}

/** Fails with one clear message instead of hundreds of failed tests. */
async function checkService({ url, key = '' }: Settings): Promise<void> {
  if (!url) return;
  const response = await fetch(`${url}/api/2/operator?limit=1`, { headers: { 'X-API-Key': key } }).catch((error) => {
    throw new UsageError(`No service responds at ${url}: ${(error.cause ?? error).message}`);
  });
  await response.body?.cancel();
  if (response.status === 403) throw new UsageError(`The service at ${url} rejects the API key.`);
}

function runTests(settings: Settings): void {
  const env = { ...process.env };
  for (const name of OPTION_NAMES) env[variableName(name)] = settings[name] ?? '';
  // One file at a time: on a shared service they would see each other's data.
  const args = ['--test', '--test-concurrency=1', 'test/conformance/*.test.ts'];
  const root = fileURLToPath(new URL('..', import.meta.url));
  const tests = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  tests.on('error', (error) => {
    console.error(`The tests could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  tests.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

function variableName(name: string): string {
  return `CONFORMANCE_${name.replace('-', '_').toUpperCase()}`;
}
