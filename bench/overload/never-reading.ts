import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { readMemoryMb, type Server } from '../processes.ts';
import { formatInteger, formatMs } from '../tables.ts';
import { timeHealth } from './health.ts';
import type { OverloadCase, OverloadRow } from './overload-case.ts';
import { withService } from './service.ts';

/** Linux buffers about 4 MB for each, so these take 1.2 GB; with many more it would run short of memory for connections. */
const CLIENT_COUNT = 300;
/** 13 MB of responses, more than is buffered. */
const REQUESTS_PER_CLIENT = 40;
const SETTINGS = {
  SWITCHBOARD_WRITE_TIMEOUT: '5', // shorter than the default of 30 s, so that the case ends sooner
  SWITCHBOARD_OVERLOAD_SECONDS: '60', // refuses nothing: a client whose requests are refused gets too little to be stuck
};
const LONGEST_MS = 25_000;
const MAX_MEMORY_GROWTH_MB = 300;

export const neverReading: OverloadCase = {
  title: `${formatInteger(CLIENT_COUNT)} clients that never read their responses`,
  run: () => withService(SETTINGS, measure),
};

async function measure(service: Server): Promise<readonly OverloadRow[]> {
  const quietMemory = readMemoryMb(service.pid) ?? 0;
  const quietHealthMs = await timeHealth(service.port);
  const clients = Array.from({ length: CLIENT_COUNT }, () => openNeverReadingClient(service.port));
  let memory = quietMemory;
  let healthMs = 0;
  const deadline = performance.now() + LONGEST_MS;
  let openCount = CLIENT_COUNT;
  while (performance.now() < deadline && openCount > 0) {
    healthMs = Math.max(healthMs, await timeHealth(service.port));
    memory = Math.max(memory, readMemoryMb(service.pid) ?? 0);
    await wait(200);
    openCount = await countOpenConnections(service.port);
  }
  for (const client of clients) client.destroy();
  return [
    {
      what: 'clients disconnected by the service',
      quiet: '-',
      loaded: formatInteger(CLIENT_COUNT - openCount),
      expected: `${formatInteger(CLIENT_COUNT)} within ${LONGEST_MS / 1000} s`,
      holds: openCount === 0,
    },
    {
      what: 'memory of the service, MB',
      quiet: formatInteger(quietMemory),
      loaded: formatInteger(memory),
      expected: `at most ${MAX_MEMORY_GROWTH_MB} more`,
      holds: memory - quietMemory <= MAX_MEMORY_GROWTH_MB,
    },
    {
      what: '/_health on a new connection, slowest, ms',
      quiet: formatMs(quietHealthMs),
      loaded: formatMs(healthMs),
      expected: '-',
      holds: true,
    },
  ];
}

/** Sends its requests at once and reads nothing. */
function openNeverReadingClient(port: number): Socket {
  const client = connect({ port, host: '127.0.0.1' }).pause();
  client.on('error', () => undefined);
  client.write('GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(REQUESTS_PER_CLIENT));
  return client;
}

/** Asks the service: a client that does not read does not notice that it was disconnected. */
async function countOpenConnections(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } })).text();
  const [, count] = /^switchboard_connections (\d+)$/m.exec(metrics) ?? [];
  return Number(count) - 1; // without the connection of this request
}
