import type { Server } from 'node:net';
import { promisify } from 'node:util';
import { Gauge, type Registry } from 'prom-client';

export interface NodeMetricsSource {
  readonly server: Server;
  /** Whether the node accepts traffic, assuming that the database is up. */
  isAcceptingTraffic(): boolean;
  /** Makes a round trip to the database; rejects if it fails. */
  ping(): Promise<void>;
}

interface PingResult {
  readonly succeeded: boolean;
  readonly seconds: number;
}

/** Each scrape makes one round trip to the database. */
export function registerNodeMetrics(registry: Registry, { server, isAcceptingTraffic, ping }: NodeMetricsSource): void {
  const countConnections = promisify(server.getConnections.bind(server));
  let pendingPing: Promise<PingResult> | undefined;
  const measurePing = () => {
    pendingPing ??= timePing(ping).finally(() => {
      pendingPing = undefined;
    });
    return pendingPing;
  };
  const addGauge = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });

  addGauge('switchboard_connections', 'Open connections to this node, including desks and visitors.', () =>
    countConnections().catch(() => 0),
  );
  addGauge('switchboard_database_up', '1 when the database responded to this node.', async () =>
    Number((await measurePing()).succeeded),
  );
  addGauge(
    'switchboard_database_round_trip_seconds',
    'Time of one round trip from this node to the database, or until it timed out.',
    async () => (await measurePing()).seconds,
  );
  addGauge(
    'switchboard_ready',
    '1 when this node accepts traffic: started, not stopping, and the database responds.',
    async () => Number(isAcceptingTraffic() && (await measurePing()).succeeded),
  );
}

async function timePing(ping: () => Promise<void>): Promise<PingResult> {
  const start = performance.now();
  const succeeded = await ping().then(
    () => true,
    () => false,
  );
  return { succeeded, seconds: (performance.now() - start) / 1000 };
}
