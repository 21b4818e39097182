import { readConfig } from '../config.ts';
import { keepDemoConnected, loadDemo } from '../demo/demo.ts';
import { type FirstLogin, firstStart } from '../first-start.ts';
import { openInstallation } from '../installation.ts';
import { startServer } from '../server.ts';

export async function serve(options: { demo?: boolean; port?: string; host?: string }): Promise<void> {
  const config = readConfig({
    ...process.env,
    ...(options.port === undefined ? {} : { PORT: options.port }),
    ...(options.host === undefined ? {} : { HOST: options.host }),
  });
  const installation = await openInstallation(config);
  const first = await firstStart(installation, config);
  if (options.demo) await loadDemo(installation);
  const stopDemo = options.demo ? await keepDemoConnected(installation) : undefined;
  const server = await startServer(installation, config).catch(async (error) => {
    stopDemo?.();
    await installation.database.close();
    // They exist from now on and are never shown again: who starts a second time needs them.
    if (first) console.log(`The first account is made.\n${credentials(first)}`);
    throw error;
  });
  console.log(first ? welcome(server.url, first) : `Switchboard is ready at ${server.url}`);

  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    stopDemo?.();
    server.stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Shown once, on the terminal and not in the log: where to go and how to get in. */
function welcome(url: string, first: FirstLogin): string {
  const key = first.apiKey ?? '$SWITCHBOARD_API_KEY';
  const password = first.password ?? '$SWITCHBOARD_ADMIN_PASSWORD';
  return `
Switchboard is ready at ${url}
${credentials(first)}
These are shown this once. Try:

  curl -H "X-API-Key: ${key}" "${url}/api/2/operator?full=1"

  curl -X PUT -H "X-API-Key: ${key}" -d "chat[available]=1" ${url}/api/2/operator/1/live

  curl -d grant_type=password -d username=${first.email} --data-urlencode "password=${password}" ${url}/oauth2/token
`;
}

function credentials({ email, password, apiKey }: FirstLogin): string {
  return `
  Log in      ${email}
  Password    ${password ?? '(as set in SWITCHBOARD_ADMIN_PASSWORD)'}
  API key     ${apiKey ?? '(as set in SWITCHBOARD_API_KEY)'}
`;
}
