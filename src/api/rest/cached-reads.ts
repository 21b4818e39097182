import type { IncomingMessage } from 'node:http';
import type { ApiKeys } from '../../core/access/api-keys.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import type { QuickReads } from '../http/quick-reads.ts';
import { JSON_TYPE } from './envelope.ts';
import type { ListResponseCache } from './list-response-cache.ts';
import { endpointName, type ReadMeter } from './meter.ts';

/** Finds the JSON of a response that is cached and current; undefined if the route has to render it. */
export type FindCached = (caller: Caller, url: string) => Promise<string | Buffer | undefined> | undefined;

export interface CachedReadsOptions {
  readonly quickReads: QuickReads;
  readonly apiKeys: ApiKeys;
  readonly usage: RestUsage;
  /** Of every route. */
  readonly prefix: string;
  /** Of every REST response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What the routes of reads cache their responses in. */
export interface ReadCaches {
  readonly lists: ListResponseCache;
  readonly reads: CachedReads;
}

/** The reads that clients repeat most. If the key was checked recently, a cached response is sent without the route. */
export class CachedReads {
  readonly #options: CachedReadsOptions;

  constructor(options: CachedReadsOptions) {
    this.#options = options;
  }

  /** `route` is the URL of the route without the prefix: `/operator`, or `/operator/:id`. */
  add(route: string, meter: ReadMeter, find: FindCached): void {
    const { quickReads, apiKeys, usage, prefix, headers } = this.#options;
    const endpoint = endpointName('GET', route);
    const findForCaller = async (caller: Caller, url: string) => {
      const body = await find(caller, url);
      if (body === undefined) return undefined;
      const countUse = () => {
        usage.countUse(caller, endpoint);
        meter.count(caller, url);
      };
      return { body, countUse };
    };
    quickReads.add(prefix + route.replace(/:id$/, ''), {
      route: prefix + route,
      headers: { ...headers, 'content-type': JSON_TYPE },
      findResponse: ({ headers: { 'x-api-key': key }, url = '' }: IncomingMessage) => {
        const caller = typeof key === 'string' ? apiKeys.peekCaller(key) : undefined;
        return caller && findForCaller(caller, url);
      },
    });
  }
}
