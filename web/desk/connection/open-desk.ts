import type { Desk, DeskActions } from '../desk.ts';
import { createDeskState } from '../state/apply-reading.ts';
import type { DeskReading } from '../state/change.ts';
import { removeDrafts, setDraftsOwner } from '../state/drafts.ts';
import { createStore } from '../state/store.ts';
import { createActions } from './actions.ts';
import { Connection } from './connection.ts';
import { Outbox } from './outbox.ts';
import { ReadMarkers } from './read-markers.ts';

export interface OpenDesk extends Desk {
  /** At once, for example when the browser is online again. */
  reconnect(): void;
  /** The same unless the connection works. */
  ensureConnection(): void;
  stop(): void;
}

/** What is different outside of a browser. */
export interface DeskSurroundings {
  /** Whose desk it is: see `getSessionOwner`. */
  readonly owner: string;
  /** The address of `/graphql`. */
  readonly socketUrl: string;
  readonly upload: DeskActions['upload'];
  /** The session is over. */
  onLoggedOut(): void;
}

/** Connects the operator until it is stopped. */
export function openDesk(reading: DeskReading, { owner, socketUrl, upload, onLoggedOut }: DeskSurroundings): OpenDesk {
  const store = createStore(createDeskState(reading));
  const departures = new Set<string>();
  const markers = new ReadMarkers(store);
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    connection.stop();
    outbox.stop();
  };
  const logOut = () => {
    if (isStopped) return;
    stop();
    onLoggedOut();
  };
  const outbox = new Outbox(owner, store, logOut);
  const connection = new Connection(`${socketUrl}?${new URLSearchParams({ owner })}`, store, {
    onLoggedOut: logOut,
    onLive: () => {
      outbox.flush();
      markers.flush();
    },
    takeDeparture: (id) => departures.delete(id),
  });
  setDraftsOwner(owner);
  removeDraftsOfClosed(reading);
  connection.start();
  return {
    getState: store.getState,
    subscribe: store.subscribe,
    actions: createActions({ store, outbox, markers, departures, upload, onLoggedOut: logOut }),
    reconnect: () => connection.reconnect(),
    ensureConnection: () => connection.ensure(),
    stop,
  };
}

/** Only of those that are known to be closed: one that was taken away may come back. */
function removeDraftsOfClosed({ conversations }: DeskReading): void {
  const closed = new Set(conversations.filter(({ state }) => state === 'CLOSED').map(({ id }) => id));
  removeDrafts((id) => closed.has(id));
}
