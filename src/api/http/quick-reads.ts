import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { compressJson } from './compression.ts';
import { findHeaderError } from './header-errors.ts';
import type { Metrics } from './metrics.ts';
import { nextRequestId } from './request-id.ts';
import type { SecurityHeaders } from './security-headers.ts';

/** A response that is cached and current. */
export interface QuickResponse {
  /** JSON. */
  readonly body: string | Buffer;
  /** Called if the response is sent. */
  countUse(): void;
}

/** A read whose responses are cached. */
export interface QuickRead {
  /** The URL of the route that answers the same requests. */
  readonly route: string;
  /** The headers of the protocol, ending with the content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns undefined, at once or later, if the route has to answer. */
  findResponse(request: IncomingMessage): Promise<QuickResponse | undefined> | undefined;
}

interface RegisteredRead {
  readonly read: QuickRead;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  countResponse(status: number, seconds: number): void;
}

export interface QuickReadOptions {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly securityHeaders: SecurityHeaders;
  readonly corsOrigins: readonly string[];
  readonly compresses: boolean;
}

/**
 * Answers GET requests from caches without fastify, whose routing, hooks and replies take a third of the time of such a
 * request. The response has the same bytes and counts in the same metrics. Everything unusual is left to the route:
 * requests that are rejected, pages of other origins, logs of reads, and a server that stops.
 */
export class QuickReads {
  readonly #options: QuickReadOptions;
  readonly #reads = new Map<string, RegisteredRead>();

  constructor(options: QuickReadOptions) {
    this.#options = options;
  }

  /** `path` ends with a slash if an identifier follows it. The query does not matter. */
  add(path: string, read: QuickRead): void {
    const { metrics, securityHeaders } = this.#options;
    this.#reads.set(path, {
      read,
      headers: Object.entries({ ...securityHeaders, ...read.headers }).flat(),
      countResponse: metrics.createRouteObserver('GET', read.route),
    });
  }

  /** Must be called before other listeners replace that of fastify. */
  serveFirst(server: Server): void {
    const { corsOrigins, logger } = this.#options;
    if (corsOrigins.length > 0 || logger.isLevelEnabled('debug')) return;
    const [serve] = server.listeners('request') as [RequestListener];
    server.off('request', serve);
    server.on('request', (request, response) => {
      const start = performance.now();
      const registered = request.method === 'GET' && server.listening ? this.#findRead(request.url ?? '') : undefined;
      const found = registered && !findHeaderError(request) ? registered.read.findResponse(request) : undefined;
      if (!registered || !found) {
        serve(request, response);
        return;
      }
      const answer = (quick?: QuickResponse) => {
        if (!quick || !this.#send(request, response, { registered, quick, start })) serve(request, response);
      };
      found.then(answer, () => answer()); // an error happens again on the route, which reports it
    });
  }

  #findRead(url: string): RegisteredRead | undefined {
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    return this.#reads.get(path) ?? this.#reads.get(path.slice(0, path.lastIndexOf('/') + 1));
  }

  /** Returns false, without having sent anything, if the route has to answer. */
  #send(
    { headers, socket }: IncomingMessage,
    response: ServerResponse,
    { registered, quick, start }: { registered: RegisteredRead; quick: QuickResponse; start: number },
  ): boolean {
    if (socket.remoteAddress === undefined) return false; // the client has left
    const compressed = this.#options.compresses
      ? compressJson(quick.body, headers['accept-encoding'])
      : { content: quick.body, headers: [] };
    if (!compressed) return false;
    quick.countUse();
    const observeResponse = () => {
      response.off('finish', observeResponse).off('error', observeResponse);
      registered.countResponse(200, (performance.now() - start) / 1000);
    };
    response.on('finish', observeResponse).on('error', observeResponse);
    const { content } = compressed;
    const ownHeaders = [...compressed.headers, 'content-length', String(Buffer.byteLength(content))];
    response.writeHead(200, ['x-request-id', nextRequestId(), ...registered.headers, ...ownHeaders]).end(content);
    return true;
  }
}
