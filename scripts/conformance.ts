// Runs the conformance tests against any service that offers the interface, or against one of our own.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `Checks whether a service keeps the interface, clause by clause.

  npm run conformance                                      starts a service of its own and checks that
  npm run conformance -- --url <address> --key <API key>   checks the service at that address

Options
  --url <address>     the address above /api/2 and /oauth2/token, for example http://127.0.0.1:3000
  --key <key>         an API key with the right to write
  --email <e-mail>    a user who can log in; without it the tests that log in with it are skipped
  --password <text>   the user's password
  --ha-url <address>  the address of the high availability platform with the same data, if there is one
  --help              this text

Each option may come from the environment instead, which keeps secrets out of the list of processes:
CONFORMANCE_URL, CONFORMANCE_KEY, CONFORMANCE_EMAIL, CONFORMANCE_PASSWORD, CONFORMANCE_HA_URL.

The tests make operators, groups, skills and websites with names that begin with "conformance-", and delete them in
the end. They change nothing else, but for operators of the demo data (external identifiers demo-1, demo-2, …).
They log in about 40 times: run them at most twice a minute, because logins are limited.`;

const NAMES = ['url', 'key', 'email', 'password', 'ha-url'] as const;
type Settings = Partial<Record<(typeof NAMES)[number], string>>;

class UsageError extends Error {}

try {
  const settings = readSettings();
  if (settings) {
    await requireService(settings);
    runTests(settings);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\nSee: npm run conformance -- --help`);
  process.exitCode = 2;
}

/** Undefined where only the help was asked for. */
function readSettings(): Settings | undefined {
  const given = readOptions();
  if (given.help) {
    console.log(HELP);
    return undefined;
  }
  const settings: Settings = {};
  for (const name of NAMES) {
    const value = given[name] ?? process.env[variable(name)];
    if (value === '' && given[name] !== undefined) throw new UsageError(`--${name} is empty.`);
    if (value) settings[name] = value;
  }
  const { url, key, email, password } = settings;
  if (!url && Object.keys(settings).length > 0) {
    throw new UsageError(`--${Object.keys(settings)[0]} is for a service at an address: give --url, too.`);
  }
  if (url && !key) throw new UsageError('--url wants --key, an API key of that service with the right to write.');
  if ((email === undefined) !== (password === undefined)) {
    throw new UsageError('--email and --password must be given together.');
  }
  for (const name of ['url', 'ha-url'] as const) {
    const address = settings[name];
    if (address) settings[name] = checkedAddress(name, address);
  }
  return settings;
}

function readOptions() {
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

function checkedAddress(name: string, address: string): string {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.search || url.hash) {
    throw new UsageError(`--${name} must be an address like http://127.0.0.1:3000, but is ${address}.`);
  }
  if (url.username || url.password) throw new UsageError(`--${name} must carry no user: give the API key with --key.`);
  const bare = url.href.replace(/\/+$/, '');
  if (bare.endsWith('/api/2')) throw new UsageError(`--${name} must not end in /api/2: the tests add it themselves.`);
  return bare;
}

/** One clear sentence in place of hundreds of failed tests. */
async function requireService({ url, key = '' }: Settings): Promise<void> {
  if (!url) return;
  const response = await fetch(`${url}/api/2/operator?limit=1`, { headers: { 'X-API-Key': key } }).catch((error) => {
    throw new UsageError(`Nothing answers at ${url}: ${(error.cause ?? error).message}`);
  });
  await response.body?.cancel();
  if (response.status === 403) throw new UsageError(`The service at ${url} refuses the API key.`);
}

function runTests(settings: Settings): void {
  const env = { ...process.env };
  for (const name of NAMES) env[variable(name)] = settings[name] ?? '';
  // One file after the other: on a shared service they would see each other's data.
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

function variable(name: string): string {
  return `CONFORMANCE_${name.replace('-', '_').toUpperCase()}`;
}
