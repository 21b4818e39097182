import { type OpenDesk, openDesk } from '../../../web/desk/connection/open-desk.ts';
import { readDesk } from '../../../web/desk/connection/read-desk.ts';
import { openSession } from '../../support/clients/browser-session.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

/** What a browser gives the page: requests to its own address with its cookie, and a storage. */
export interface DeskBrowser {
  openDesk(): Promise<OpenDesk>;
  /** Whether the page was led to the log-in page. */
  isLoggedOut(): boolean;
  /** Asks the service, not through the proxy. */
  isSessionValid(): Promise<boolean>;
  readonly storage: Map<string, string>;
  close(): void;
}

/** Logs in at `service`, and reaches it under `address`, which may be a proxy. Only one at a time: it is the global one. */
export async function startDeskBrowser(
  service: string,
  credentials: { readonly email: string; readonly password: string },
  address = service,
): Promise<DeskBrowser> {
  const { headers } = await openSession(service, credentials);
  const own = { ...headers, Origin: address };
  const original = { fetch: globalThis.fetch, WebSocket: globalThis.WebSocket, localStorage: globalThis.localStorage };
  const storage = new Map<string, string>();
  const desks: OpenDesk[] = [];
  let isLoggedOut = false;
  globalThis.fetch = (input, options = {}) => {
    if (typeof input !== 'string' || !input.startsWith('/')) return original.fetch(input, options);
    return original.fetch(address + input, { ...options, headers: { ...own, ...(options.headers as object) } });
  };
  globalThis.WebSocket = class extends original.WebSocket {
    constructor(url: string | URL, protocols?: ConstructorParameters<typeof WebSocket>[1]) {
      super(url, { protocols: protocols as string[], headers: own });
    }
  };
  replaceStorage(createStorage(storage));
  return {
    storage,
    isLoggedOut: () => isLoggedOut,
    async isSessionValid() {
      const body = JSON.stringify({ query: '{ eventPosition }' });
      const json = { ...headers, 'content-type': 'application/json' };
      const response = await original.fetch(`${service}/graphql`, { method: 'POST', headers: json, body });
      return response.status === 200;
    },
    async openDesk() {
      let reading = await readDesk(Date.now());
      await waitUntil('the desk is read', async () => {
        if (!reading.ok) reading = await readDesk(Date.now());
        return reading.ok || reading.failure.kind !== 'unreachable';
      });
      if (!reading.ok) throw new Error(`The desk cannot be read: ${JSON.stringify(reading.failure)}`);
      const desk = openDesk(reading.value, {
        owner: `1.${reading.value.viewer.id}`,
        socketUrl: `${address.replace('http', 'ws')}/graphql`,
        upload: () => Promise.reject(new Error('There is no XMLHttpRequest here.')),
        onLoggedOut: () => {
          isLoggedOut = true;
        },
      });
      desks.push(desk);
      return desk;
    },
    close() {
      for (const desk of desks) desk.stop();
      Object.assign(globalThis, { fetch: original.fetch, WebSocket: original.WebSocket });
      replaceStorage(original.localStorage);
    },
  };
}

function replaceStorage(value: Storage | undefined): void {
  Object.defineProperty(globalThis, 'localStorage', { value, configurable: true, writable: true });
}

/** Its keys are own properties, as in a browser. */
function createStorage(values: Map<string, string>): Storage {
  const methods: Record<string, (...args: string[]) => unknown> = {
    getItem: (key = '') => values.get(key) ?? null,
    setItem: (key = '', value = '') => values.set(key, String(value)),
    removeItem: (key = '') => values.delete(key),
  };
  return new Proxy({} as Storage, {
    get: (_target, name) => methods[String(name)],
    ownKeys: () => [...values.keys()],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
}
