import type { Patience } from '../../../src/api/graphql-server/sockets.ts';
import { startServer } from '../../../src/app/server.ts';
import type { OperatorCreate } from '../../../src/core/operators/operator.ts';
import { type GraphqlClient, graphqlClient } from '../clients/graphql.ts';
import { openSocket, type Socket } from '../clients/subscriptions.ts';
import { openDatabase } from '../databases/databases.ts';
import { World } from './world.ts';

/** Somebody who is logged in. */
export interface Person extends GraphqlClient {
  readonly id: number;
  /** A realtime connection of theirs; ended with the service at the latest. */
  connect(): Socket;
}

/** The engine with the service around it, in this process: its clock moves when the test says so, and pings come quickly. */
export interface Desks {
  readonly world: World;
  readonly url: string;
  person(fields?: Partial<OperatorCreate>, presence?: { away?: boolean }): Promise<Person>;
  stop(): Promise<void>;
}

/** Both sides of a connection run in this process, so a busy machine holds up a ping and its answer alike. */
const QUICK: Patience = { init: 60_000, slowest: 60_000, farewell: 500, ping: 300 };

export async function startDesks(
  settings: Record<string, string> = {},
  patience: Partial<Patience> = {},
): Promise<Desks> {
  const world = await World.on(() => openDatabase({ SWITCHBOARD_LOG_LEVEL: 'silent', ...settings }));
  const { installation } = world;
  const server = await startServer(installation, installation.config, { patience: { ...QUICK, ...patience } });
  const sockets: Socket[] = [];
  return {
    world,
    url: server.url,
    person: async (fields, presence = { away: true }) => {
      const id = await world.operator(fields, presence);
      const owner = { accountId: world.accountId, operatorId: id };
      const token = await world.transact((tx) => installation.tokens.issue(tx, owner));
      const connect = () => {
        const socket = openSocket(server.url, token);
        sockets.push(socket);
        return socket;
      };
      return { ...graphqlClient(server.url, token), id, connect };
    },
    stop: async () => {
      for (const socket of sockets) socket.end();
      await server.stop();
      await world.end();
    },
  };
}
