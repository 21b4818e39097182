/** Random values that differ between the installations but must map one to one. */
const RANDOM_FIELDS = new Set([
  ...['token', 'access_token', 'key', 'secret', 'prefix', 'keyHash'],
  ...['uniqueId', 'unique_id', 'visitorId', 'visitorUid', 'visitor_uid'],
  'eventPosition', // encrypted for visitors; the same number for operators
]);

/** Links with a random token, on the address of each installation. */
const RANDOM_PATHS = /\blink\.url$/;

/** Internal values that only have to exist on both sides or on neither. */
const SECRET_FIELDS = new Set(['passwordHash', 'tokenHash', 'codeHash', 'previousSecret', 'requestHash']);

/** A node records the use of an API key when it loads the key, and reloads a cached key only after a second. */
const IGNORED_PATHS = /\b(apiKeys?|api_keys|key)(\.\d+)?\.lastUsedAt$/;

/** Compares values of both installations and remembers which random values correspond to each other. */
export class Comparison {
  readonly #secondByFirst = new Map<string, string>();
  readonly #firstBySecond = new Map<string, string>();

  /** Describes the first difference with its path; undefined if there is none. */
  findDifference(first: unknown, second: unknown, path = ''): string | undefined {
    if (Object.is(first, second) || IGNORED_PATHS.test(path)) return undefined;
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (typeof first === 'string' && typeof second === 'string') return this.#compareTexts(first, second, path, name);
    if (Array.isArray(first) && Array.isArray(second)) {
      const isOrdered = name !== 'errors'; // resolvers run concurrently and fail in any order
      return this.#compareLists(isOrdered ? first : sortErrors(first), isOrdered ? second : sortErrors(second), path);
    }
    if (isObject(first) && isObject(second)) return this.#compareObjects(first, second, path);
    return `${path}: ${formatValue(first)} and ${formatValue(second)}`;
  }

  #compareTexts(first: string, second: string, path: string, name: string): string | undefined {
    if (SECRET_FIELDS.has(name)) return undefined;
    if (RANDOM_FIELDS.has(name) || RANDOM_PATHS.test(path))
      return this.#corresponds(first, second) ? undefined : `${path}: ${first} does not correspond to ${second}`;
    const [firstValue, secondValue] = [parseJson(first), parseJson(second)];
    if (isObject(firstValue) && isObject(secondValue)) return this.findDifference(firstValue, secondValue, path);
    return `${path}: ${formatValue(first)} and ${formatValue(second)}`;
  }

  #corresponds(first: string, second: string): boolean {
    const knownSecond = this.#secondByFirst.get(first);
    const knownFirst = this.#firstBySecond.get(second);
    if (knownSecond === undefined && knownFirst === undefined) {
      this.#secondByFirst.set(first, second);
      this.#firstBySecond.set(second, first);
      return true;
    }
    return knownSecond === second && knownFirst === first;
  }

  #compareLists(first: readonly unknown[], second: readonly unknown[], path: string): string | undefined {
    for (const [index, value] of first.entries()) {
      if (index >= second.length) break;
      const difference = this.findDifference(value, second[index], `${path}.${index}`);
      if (difference) return difference;
    }
    return first.length === second.length ? undefined : `${path}: ${first.length} and ${second.length} items`;
  }

  /** The order of the fields matters too, because clients see it. */
  #compareObjects(first: Fields, second: Fields, path: string): string | undefined {
    const [names, secondNames] = [Object.keys(first), Object.keys(second)];
    if (names.join() !== secondNames.join()) return `${path}: fields ${names.join()} and ${secondNames.join()}`;
    for (const name of names) {
      const difference = this.findDifference(first[name], second[name], `${path}.${name}`);
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
  return errors.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
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
