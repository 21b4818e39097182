import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFirstAccount, type FirstLogin } from '../app/first-start.ts';
import { type Installation, openInstallation } from '../app/installation.ts';
import { retryWhileStarting } from '../app/retry-while-starting.ts';
import type { RunningServer } from '../app/server.ts';
import { readTls } from '../app/tls.ts';
import { type Config, readConfig } from '../config.ts';
import type { RunningDemo } from '../demo/start-demo.ts';
import { acquireServerLock } from '../storage/sqlite/server-lock.ts';
import { formatDemo } from './demo-lines.ts';
import { CommandFailed } from './report.ts';
import { STOP_SIGNALS, type Terminal } from './terminal.ts';

interface ServeOptions {
  readonly demo?: boolean;
  readonly port?: string;
  readonly host?: string;
}

/** Serves until a stop signal arrives. */
export async function serve(terminal: Terminal, options: ServeOptions): Promise<number> {
  const { console, env, log, signals } = terminal;
  const config = readConfig({
    ...env,
    ...(options.port === undefined ? {} : { PORT: options.port }),
    ...(options.host === undefined ? {} : { HOST: options.host }),
  });
  const releaseLock = lockDatabaseFile(config.databaseFile);
  const installation = await openInstallation(config, { warn: console.error }).catch((error) => {
    releaseLock();
    throw error;
  });
  const { startServer } = await import('../app/server.ts'); // by far the largest module: loaded only after the checks
  let firstLogin: FirstLogin | undefined;
  // The port is bound before anything is created: a failed start leaves nothing behind.
  const server = await startServer(installation, config, {
    log,
    prepare: async () => {
      firstLogin = await retryWhileStarting(() =>
        createFirstAccount(installation, config, { withWebsite: !options.demo }),
      );
      if (options.demo) await (await import('../demo/demo.ts')).loadDemoData(installation);
    },
  }).catch(async (error) => {
    await installation.database.close();
    releaseLock();
    throw error;
  });
  const stopSignal = waitForStopSignal(signals);
  const demo = options.demo
    ? await openDemo(installation, config, server, console.error).catch(async (error) => {
        await server.stop();
        releaseLock();
        throw error;
      })
    : undefined;
  const welcome = firstLogin ? formatWelcome(server.url, firstLogin) : `Switchboard is ready at ${server.url}`;
  console.log(demo ? welcome + formatDemo(server.url, demo) : welcome);
  await stopSignal;
  await demo?.stop();
  const code = await server.stop().then(
    () => 0,
    (error) => {
      console.error(error);
      return 1;
    },
  );
  releaseLock();
  terminal.exit(code);
  return code;
}

/** Loaded on demand: the service itself needs nothing of it. */
async function openDemo(
  installation: Installation,
  config: Config,
  { url, localUrl }: RunningServer,
  warn: (message: string) => void,
): Promise<RunningDemo> {
  const [{ startDemo }, { HUMAN_PACE }] = await Promise.all([
    import('../demo/start-demo.ts'),
    import('../demo/played/behaviour.ts'),
  ]);
  return startDemo(installation, {
    service: { host: config.HOST, url, localUrl },
    tls: readTls(config),
    pace: HUMAN_PACE,
    ...(config.PORT === 0 && { shopPort: 0 }),
    warn,
  });
}

/** Further signals are ignored: the service is already stopping. */
function waitForStopSignal(signals: Terminal['signals']): Promise<void> {
  return new Promise((resolve) => {
    for (const name of STOP_SIGNALS) signals.on(name, () => resolve());
  });
}

/** An embedded database has one server; PostgreSQL can have any number. */
function lockDatabaseFile(databaseFile: string | undefined): () => void {
  if (databaseFile === undefined) return () => undefined;
  mkdirSync(dirname(databaseFile), { recursive: true, mode: 0o700 });
  const releaseLock = acquireServerLock(databaseFile);
  if (!releaseLock) throw new CommandFailed(`Another process is already serving ${databaseFile}. Stop it first.`);
  return releaseLock;
}

/** Shown once, on the terminal and not in the log. */
function formatWelcome(url: string, firstLogin: FirstLogin): string {
  const key = firstLogin.apiKey ?? '$SWITCHBOARD_API_KEY';
  const password = firstLogin.password ?? '$SWITCHBOARD_ADMIN_PASSWORD';
  return `
Switchboard is ready at ${url}

  Log in      ${firstLogin.email}
  Password    ${firstLogin.password ?? '(as set in SWITCHBOARD_ADMIN_PASSWORD)'}
  API key     ${firstLogin.apiKey ?? '(as set in SWITCHBOARD_API_KEY)'}
${firstLogin.websiteUrl === undefined ? '' : `  Website     1, for ${firstLogin.websiteUrl}: change its address to your own\n`}
These are shown only once. Try:

  curl -H "X-API-Key: ${key}" "${url}/api/2/operator?full=1"

  curl -X PUT -H "X-API-Key: ${key}" -d "chat[available]=1" ${url}/api/2/operator/1/live

  curl -d grant_type=password -d username=${firstLogin.email} --data-urlencode "password=${password}" ${url}/oauth2/token
`;
}
