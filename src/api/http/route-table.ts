import type { RouteOptions } from 'fastify';

/** Which methods each address answers. */
export class RouteTable {
  readonly #routes: { pattern: RegExp; methods: Set<string> }[] = [];
  readonly #byUrl = new Map<string, Set<string>>();

  add(route: RouteOptions): void {
    let methods = this.#byUrl.get(route.url);
    if (!methods) {
      methods = new Set();
      this.#byUrl.set(route.url, methods);
      this.#routes.push({ pattern: patternOf(route.url), methods });
    }
    for (const method of [route.method].flat()) methods.add(method);
  }

  /** Every address as it was registered, with its methods. */
  all(): { url: string; methods: string[] }[] {
    return [...this.#byUrl].map(([url, methods]) => ({ url, methods: [...methods] }));
  }

  /** The methods of a path, for `Allow`. */
  methodsOf(path: string): string[] {
    const own = this.#byUrl.get(path.replace(/(?<=.)\/$/, ''));
    if (own) return [...own];
    const found = this.#routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]);
    return [...new Set(found)];
  }
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replace(/:[^/]+/g, '[^/]+')}/?$`);
}
