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

  /** Finds the methods that a path allows besides OPTIONS, for the `Allow` header. */
  findMethods(path: string): string[] {
    const exactMethods = this.#byUrl.get(path.replace(/(?<=.)\/$/, ''));
    if (exactMethods) return [...exactMethods].filter((method) => method !== 'OPTIONS');
    const matchingMethods = this.#routes
      .filter(({ pattern }) => pattern.test(path))
      .flatMap(({ methods }) => [...methods]);
    return [...new Set(matchingMethods)].filter((method) => method !== 'OPTIONS');
  }
}

function toPattern(url: string): RegExp {
  const pattern = url
    .split(/(:[^/]+|\*)/)
    .map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : toWildcard(part)));
  return new RegExp(`^${pattern.join('')}/?$`);
}

function toWildcard(parameter: string): string {
  return parameter === '*' ? '.*' : '[^/]+';
}
