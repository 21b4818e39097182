import { Counter, Gauge, type Registry } from 'prom-client';

/** One node's use of the database server. */
export interface DatabaseUsage {
  readonly connectionsBusy: number;
  readonly connectionLimit: number;
  readonly waiting: number;
  readonly timedOutCount: number;
  readonly unreachableCount: number;
  readonly wakeUps: number;
  readonly isListening: boolean;
}

const GAUGES: Readonly<Record<string, { readonly help: string; read(usage: DatabaseUsage): number }>> = {
  switchboard_database_connections_busy: {
    help: 'Database connections of this node that are in use.',
    read: ({ connectionsBusy }) => connectionsBusy,
  },
  switchboard_database_connections_limit: {
    help: 'Maximum number of database connections of this node, not counting the LISTEN connection.',
    read: ({ connectionLimit }) => connectionLimit,
  },
  switchboard_database_waiting: {
    help: 'Statements and transactions of this node that wait for a connection or for an account lock.',
    read: ({ waiting }) => waiting,
  },
  switchboard_database_listening: {
    help: '1 when this node is notified of commits of other nodes; 0 when it polls every second instead.',
    read: ({ isListening }) => Number(isListening),
  },
};

/** PostgreSQL only: the embedded database has no connections. */
export function registerDatabaseMetrics(registry: Registry, readUsage: () => DatabaseUsage): void {
  for (const [name, { help, read }] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read(readUsage()));
      },
    });
  }
  new Counter({
    name: 'switchboard_database_failures_total',
    help: 'Statements of this node that timed out (late), or could not reach the server or lost the connection (refused).',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ reason: 'late' }, readUsage().timedOutCount);
      this.inc({ reason: 'refused' }, readUsage().unreachableCount);
    },
  });
  new Counter({
    name: 'switchboard_database_wake_ups_total',
    help: 'Notifications of new events that this node received from the database.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(readUsage().wakeUps);
    },
  });
}
