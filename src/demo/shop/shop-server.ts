import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { renderNotFound, renderPages, type WidgetPlace } from './pages.ts';

const STYLES = readFileSync(new URL('shop.css', import.meta.url), 'utf8');
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#5b6c62"/>
<path d="M10 8v16M22 8v16M10 16h12" stroke="#fff" stroke-width="3.5" stroke-linecap="round"/></svg>`;

export interface ShopServer {
  readonly port: number;
  /** Until then every page answers 503: the website may not exist yet. */
  open(place: WidgetPlace): void;
  close(): Promise<void>;
}

export interface ShopServerOptions {
  readonly host: string;
  /** If it is in use, the system chooses another one; 0 always does. */
  readonly port: number;
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

/** Listens for visitors of the pretend shop: static pages, and no data of the service. */
export async function listenAsShop({ host, port, tls }: ShopServerOptions): Promise<ShopServer> {
  let handle: RequestListener = (_request, response) => response.writeHead(503).end();
  const listener: RequestListener = (request, response) => handle(request, response);
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await listen(server, host, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return listen(server, host, 0);
  });
  return {
    port: (server.address() as AddressInfo).port,
    open: (place) => {
      handle = createHandler(place);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function createHandler(place: WidgetPlace): RequestListener {
  const pages = renderPages(place);
  const notFound = renderNotFound(place);
  const pageHeaders = { ...HEADERS, 'Content-Security-Policy': buildContentPolicy(place.serviceUrl) };
  return ({ method, url = '/' }, response) => {
    const [path = '/'] = url.split('?', 1);
    const send = (status: number, type: string, body: string, headers: object = HEADERS) => {
      response.writeHead(status, { ...headers, 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
      response.end(method === 'HEAD' ? undefined : body);
    };
    if (method !== 'GET' && method !== 'HEAD') return send(405, 'text/plain', 'This method is not allowed.\n');
    if (path === '/shop.css') return send(200, 'text/css; charset=utf-8', STYLES);
    if (path === '/favicon.svg') return send(200, 'image/svg+xml', ICON);
    const page = pages.get(path);
    return send(page ? 200 : 404, 'text/html; charset=utf-8', page ?? notFound, pageHeaders);
  };
}

const HEADERS = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
};

/** As strict as a careful website has it: besides its own styles and pictures only what the widget needs. */
function buildContentPolicy(serviceUrl: string): string {
  const { origin } = new URL(serviceUrl);
  return [
    "default-src 'none'",
    `script-src ${origin}`,
    `connect-src ${origin} ${origin.replace(/^http/, 'ws')}`,
    `img-src 'self' ${origin}`,
    "style-src 'self'",
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; ');
}
