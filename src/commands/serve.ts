import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFirstAccount, type FirstLogin } from '../app/first-start.ts';
import { openInstallation } from '../app/installation.ts';
import { retryWhileStarting } from '../app/retry-while-starting.ts';
import { readConfig } from '../config.ts';
import { keepDemoOperatorsConnected, loadDemoData } from '../demo/demo.ts';
import { acquireServerLock } from '../storage/sqlite/server-lock.ts';
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
  let stopDemo: (() => void) | undefined;
  // The port is bound before anything is created: a failed start leaves nothing behind.
  const server = await startServer(installation, config, {
    log,
    prepare: async () => {
      firstLogin = await retryWhileStarting(() =>
        createFirstAccount(installation, config, { withWebsite: !options.demo }),
      );
      if (!options.demo) return;
      await loadDemoData(installation);
      stopDemo = await keepDemoOperatorsConnected(installation);
    },
  }).catch(async (error) => {
    await installation.database.close();
    releaseLock();
    throw error;
  });
  const stopSignal = waitForStopSignal(signals);
  console.log(firstLogin ? formatWelcome(server.url, firstLogin) : `Switchboard is ready at ${server.url}`);
  await stopSignal;
  stopDemo?.();
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
