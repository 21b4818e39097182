import type { RouteOptions } from 'fastify';

/** The methods of each registered URL. */
export class RouteTable {
  readonly #routes: { pattern: RegExp; methods: Set<string> }[] = [];
  readonly #byUrl = new Map<string, Set<string>>();

  add(route: RouteOptions): void {
    let methods = this.#byUrl.get(route.url);
    if (!methods) {
      methods = new Set();
      this.#byUrl.set(route.url, methods);
      this.#routes.push({ pattern: toPattern(route.url), methods });
    }
    for (const method of [route.method].flat()) methods.add(method);
  }

  /** Every URL pattern as registered, with its methods. */
  all(): { url: string; methods: string[] }[] {
    return [...this.#byUrl].map(([url, methods]) => ({ url, methods: [...methods] }));
  }

  /** The methods allowed for a path, for the `Allow` header. */
  methodsOf(path: string): string[] {
    const exact = this.#byUrl.get(path.replace(/(?<=.)\/$/, ''));
    if (exact) return [...exact];
    const matching = this.#routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]);
    return [...new Set(matching)];
  }
}

function toPattern(url: string): RegExp {
  return new RegExp(`^${url.replace(/:[^/]+/g, '[^/]+')}/?$`);
}
