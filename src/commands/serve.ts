import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type FirstLogin, firstStart } from '../app/first-start.ts';
import { openInstallation } from '../app/installation.ts';
import { retryWhileStarting } from '../app/retry-while-starting.ts';
import { readConfig } from '../config.ts';
import { keepDemoConnected, loadDemo } from '../demo/demo.ts';
import { takeServerPlace } from '../storage/sqlite/server-lock.ts';
import { CommandFailed } from './report.ts';
import { STOP_SIGNALS, type Terminal } from './terminal.ts';

interface ServeOptions {
  readonly demo?: boolean;
  readonly port?: string;
  readonly host?: string;
}

/** Serves until it is told to stop. */
export async function serve(terminal: Terminal, options: ServeOptions): Promise<number> {
  const { console, env, log, signals } = terminal;
  const config = readConfig({
    ...env,
    ...(options.port === undefined ? {} : { PORT: options.port }),
    ...(options.host === undefined ? {} : { HOST: options.host }),
  });
  const leavePlace = takePlace(config.databaseFile);
  const installation = await openInstallation(config, { warn: console.error }).catch((error) => {
    leavePlace();
    throw error;
  });
  const { startServer } = await import('../app/server.ts'); // by far the largest part: not for a start that is refused
  let first: FirstLogin | undefined;
  let stopDemo: (() => void) | undefined;
  // The port is taken before anything is made: a start that fails leaves nothing behind.
  const server = await startServer(installation, config, {
    log,
    prepare: async () => {
      first = await retryWhileStarting(() => firstStart(installation, config));
      if (!options.demo) return;
      await loadDemo(installation);
      stopDemo = await keepDemoConnected(installation);
    },
  }).catch(async (error) => {
    await installation.database.close();
    leavePlace();
    throw error;
  });
  const stopping = stopRequest(signals);
  console.log(first ? welcome(server.url, first) : `Switchboard is ready at ${server.url}`);
  await stopping;
  stopDemo?.();
  const code = await server.stop().then(
    () => 0,
    (error) => {
      console.error(error);
      return 1;
    },
  );
  leavePlace();
  terminal.exit(code);
  return code;
}

/** Further signals change nothing: the service is stopping already. */
function stopRequest(signals: Terminal['signals']): Promise<void> {
  return new Promise((resolve) => {
    for (const name of STOP_SIGNALS) signals.on(name, () => resolve());
  });
}

/** A file has one server; a PostgreSQL as many as one likes. */
function takePlace(databaseFile: string | undefined): () => void {
  if (databaseFile === undefined) return () => undefined;
  mkdirSync(dirname(databaseFile), { recursive: true, mode: 0o700 });
  const leavePlace = takeServerPlace(databaseFile);
  if (!leavePlace) throw new CommandFailed(`Another process serves ${databaseFile} already. Stop it first.`);
  return leavePlace;
}

/** Shown once, on the terminal and not in the log: where to go and how to get in. */
function welcome(url: string, first: FirstLogin): string {
  const key = first.apiKey ?? '$SWITCHBOARD_API_KEY';
  const password = first.password ?? '$SWITCHBOARD_ADMIN_PASSWORD';
  return `
Switchboard is ready at ${url}

  Log in      ${first.email}
  Password    ${first.password ?? '(as set in SWITCHBOARD_ADMIN_PASSWORD)'}
  API key     ${first.apiKey ?? '(as set in SWITCHBOARD_API_KEY)'}

These are shown this once. Try:

  curl -H "X-API-Key: ${key}" "${url}/api/2/operator?full=1"

  curl -X PUT -H "X-API-Key: ${key}" -d "chat[available]=1" ${url}/api/2/operator/1/live

  curl -d grant_type=password -d username=${first.email} --data-urlencode "password=${password}" ${url}/oauth2/token
`;
}
