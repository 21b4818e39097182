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

  /** Lists every URL pattern as registered, with its methods. */
  list(): { url: string; methods: string[] }[] {
    return [...this.#byUrl].map(([url, methods]) => ({ url, methods: [...methods] }));
  }

  /** Finds the methods that a path allows, for the `Allow` header. */
  findMethods(path: string): string[] {
    const exactMethods = this.#byUrl.get(path.replace(/(?<=.)\/$/, ''));
    if (exactMethods) return [...exactMethods];
    const matchingMethods = this.#routes
      .filter(({ pattern }) => pattern.test(path))
      .flatMap(({ methods }) => [...methods]);
    return [...new Set(matchingMethods)];
  }
}

function toPattern(url: string): RegExp {
  return new RegExp(`^${url.replace(/:[^/]+/g, '[^/]+')}/?$`);
}
