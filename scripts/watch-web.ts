// Builds the web pages again whenever a source changes. A service that is started meanwhile serves every new build.
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildWeb } from './build-web.ts';

/** Editors write several files at once, or one in several steps. */
const SETTLE_MS = 50;
const root = fileURLToPath(new URL('..', import.meta.url));

let timer: NodeJS.Timeout | undefined;
let building = Promise.resolve();

async function build(): Promise<void> {
  const startedAt = performance.now();
  try {
    await buildWeb({ root, isWatched: true });
    console.log(`Built in ${Math.round(performance.now() - startedAt)} ms.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}

function scheduleBuild(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    building = building.then(build);
  }, SETTLE_MS);
}

await build();
console.log('Watching web/. Start the service in another terminal, for example `npm start -- --demo`. Ctrl+C ends it.');
const watcher = watch(`${root}web`, { recursive: true }, scheduleBuild);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    watcher.close();
    clearTimeout(timer);
    await building;
    // Later starts of the service no longer expect new builds.
    await buildWeb({ root }).catch(() => undefined);
    process.exit();
  });
}
