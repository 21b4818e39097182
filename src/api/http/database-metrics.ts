import { Counter, Gauge, type Registry } from 'prom-client';

/** What a node knows of its own use of a database server. */
export interface DatabaseUse {
  readonly connectionsBusy: number;
  readonly connectionLimit: number;
  readonly waiting: number;
  readonly givenUp: number;
  readonly refused: number;
  readonly wakeUps: number;
  readonly isListening: boolean;
}

const GAUGES: Readonly<Record<string, { readonly help: string; value(use: DatabaseUse): number }>> = {
  switchboard_database_connections_busy: {
    help: 'Connections of this node to the database that are at work.',
    value: ({ connectionsBusy }) => connectionsBusy,
  },
  switchboard_database_connections_limit: {
    help: 'Connections that this node may open to the database, without the one that listens.',
    value: ({ connectionLimit }) => connectionLimit,
  },
  switchboard_database_waiting: {
    help: 'Statements and changes of this node that wait for a connection, or for their turn in the account.',
    value: ({ waiting }) => waiting,
  },
  switchboard_database_listening: {
    help: '1 when this node hears of the commits of others at once; else it looks every second.',
    value: ({ isListening }) => Number(isListening),
  },
};

/** Only on a database that is a server: the embedded one has no connections. */
export function showDatabaseUse(registry: Registry, use: () => DatabaseUse): void {
  for (const [name, { help, value }] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value(use()));
      },
    });
  }
  new Counter({
    name: 'switchboard_database_failures_total',
    help: 'Statements of this node that got no answer in time (late), or found no server or lost it (refused).',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ reason: 'late' }, use().givenUp);
      this.inc({ reason: 'refused' }, use().refused);
    },
  });
  new Counter({
    name: 'switchboard_database_wake_ups_total',
    help: 'How often this node heard that an event log has grown.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(use().wakeUps);
    },
  });
}
