import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The service, which on SIGUSR2 collects garbage and writes its memory to a file: without that, the memory of a socket
 * would disappear in the garbage of the requests before.
 */

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

process.on('SIGUSR2', () => {
  const file = process.env.BENCH_MEMORY_FILE as string;
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  writeFileSync(`${file}.new`, JSON.stringify({ resident: rss, used: heapUsed + external }));
  renameSync(`${file}.new`, file);
});

await import('../../src/main.ts');
