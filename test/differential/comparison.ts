/** Random values that differ between the installations but must map one to one. */
const RANDOM_FIELDS = new Set([
  ...['token', 'access_token', 'key', 'secret', 'prefix', 'keyHash'],
  ...['uniqueId', 'unique_id', 'visitorId', 'visitorUid', 'visitor_uid'],
]);

/** Internal values that only have to exist on both sides or on neither. */
const SECRET_FIELDS = new Set(['passwordHash', 'tokenHash', 'codeHash', 'previousSecret', 'requestHash']);

/** A node records the use of an API key when it loads the key, and reloads a cached key only after a second. */
const IGNORED_PATHS = /\b(apiKeys?|api_keys|key)(\.\d+)?\.lastUsedAt$/;

/** Compares values of both installations and remembers which random values correspond to each other. */
export class Comparison {
  readonly #toOther = new Map<string, string>();
  readonly #fromOther = new Map<string, string>();

  /** Describes the first difference with its path; undefined if there is none. */
  findDifference(one: unknown, other: unknown, path = ''): string | undefined {
    if (Object.is(one, other) || IGNORED_PATHS.test(path)) return undefined;
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (typeof one === 'string' && typeof other === 'string') return this.#compareTexts(one, other, path, name);
    if (Array.isArray(one) && Array.isArray(other)) {
      const isOrdered = name !== 'errors'; // resolvers run concurrently and fail in any order
      return this.#compareLists(isOrdered ? one : sortErrors(one), isOrdered ? other : sortErrors(other), path);
    }
    if (isObject(one) && isObject(other)) return this.#compareObjects(one, other, path);
    return `${path}: ${formatValue(one)} and ${formatValue(other)}`;
  }

  #compareTexts(one: string, other: string, path: string, name: string): string | undefined {
    if (SECRET_FIELDS.has(name)) return undefined;
    if (RANDOM_FIELDS.has(name))
      return this.#corresponds(one, other) ? undefined : `${path}: ${one} does not correspond to ${other}`;
    const [oneValue, otherValue] = [parseJson(one), parseJson(other)];
    if (isObject(oneValue) && isObject(otherValue)) return this.findDifference(oneValue, otherValue, path);
    return `${path}: ${formatValue(one)} and ${formatValue(other)}`;
  }

  #corresponds(one: string, other: string): boolean {
    const known = this.#toOther.get(one);
    const knownBack = this.#fromOther.get(other);
    if (known === undefined && knownBack === undefined) {
      this.#toOther.set(one, other);
      this.#fromOther.set(other, one);
      return true;
    }
    return known === other && knownBack === one;
  }

  #compareLists(one: readonly unknown[], other: readonly unknown[], path: string): string | undefined {
    for (const [index, value] of one.entries()) {
      if (index >= other.length) break;
      const difference = this.findDifference(value, other[index], `${path}.${index}`);
      if (difference) return difference;
    }
    return one.length === other.length ? undefined : `${path}: ${one.length} and ${other.length} items`;
  }

  /** The order of the fields matters too, because clients see it. */
  #compareObjects(one: Fields, other: Fields, path: string): string | undefined {
    const [names, otherNames] = [Object.keys(one), Object.keys(other)];
    if (names.join() !== otherNames.join()) return `${path}: fields ${names.join()} and ${otherNames.join()}`;
    for (const name of names) {
      const difference = this.findDifference(one[name], other[name], `${path}.${name}`);
      if (difference) return difference;
    }
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function sortErrors(errors: readonly unknown[]): unknown[] {
  return errors.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function formatValue(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 300);
}
