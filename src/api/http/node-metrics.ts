import type { Server } from 'node:net';
import { promisify } from 'node:util';
import { Gauge, type Registry } from 'prom-client';

export interface NodeParts {
  readonly server: Server;
  /** Whether the node would take traffic if the database answered. */
  isOpen(): boolean;
  /** A round trip to the database; rejects when there is no answer. */
  ping(): Promise<void>;
}

interface Look {
  readonly answered: boolean;
  readonly seconds: number;
}

/** How one node is, and its way to the database: one round trip for every look at the numbers. */
export function showNode(registry: Registry, { server, isOpen, ping }: NodeParts): void {
  const connections = promisify(server.getConnections.bind(server));
  let looking: Promise<Look> | undefined;
  const look = () => {
    looking ??= timed(ping).finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const show = (name: string, help: string, value: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await value());
      },
    });

  show('switchboard_connections', 'Connections open to this node, those of desks and visitors included.', () =>
    connections().catch(() => 0),
  );
  show('switchboard_database_up', '1 when the database answered this node just now.', async () =>
    Number((await look()).answered),
  );
  show(
    'switchboard_database_round_trip_seconds',
    'Time of one round trip from this node to the database, or until it was given up.',
    async () => (await look()).seconds,
  );
  show(
    'switchboard_ready',
    '1 when this node takes traffic: started, not stopping, and the database answers.',
    async () => Number(isOpen() && (await look()).answered),
  );
}

async function timed(ping: () => Promise<void>): Promise<Look> {
  const start = performance.now();
  const answered = await ping().then(
    () => true,
    () => false,
  );
  return { answered, seconds: (performance.now() - start) / 1000 };
}
