/** What chance makes anew on each side, and what must stand for the same thing everywhere. */
const RENAMED = new Set([
  ...['token', 'access_token', 'key', 'secret', 'prefix', 'keyHash'],
  ...['uniqueId', 'unique_id', 'visitorId', 'visitorUid', 'visitor_uid'],
]);

/** What only has to be there on both sides, or on neither: nobody sees it. */
const HIDDEN = new Set(['passwordHash', 'tokenHash', 'codeHash', 'previousSecret', 'requestHash']);

/** A node notes the use of a key when it looks for it, and it looks for a key that it knows only after a second. */
const NOT_EXACT = /\b(apiKeys?|api_keys|key)(\.\d+)?\.lastUsedAt$/;

/** Compares what two sides say, and remembers which of their random texts mean the same. */
export class Sameness {
  readonly #toOther = new Map<string, string>();
  readonly #fromOther = new Map<string, string>();

  /** The first difference in words, with its place; undefined when there is none. */
  difference(one: unknown, other: unknown, place = ''): string | undefined {
    if (Object.is(one, other) || NOT_EXACT.test(place)) return undefined;
    const name = place.slice(place.lastIndexOf('.') + 1);
    if (typeof one === 'string' && typeof other === 'string') return this.#inTexts(one, other, place, name);
    if (Array.isArray(one) && Array.isArray(other)) {
      const isOrdered = name !== 'errors'; // resolvers run side by side, and fail in any order
      return this.#inLists(isOrdered ? one : byPath(one), isOrdered ? other : byPath(other), place);
    }
    if (isObject(one) && isObject(other)) return this.#inObjects(one, other, place);
    return `${place}: ${shown(one)} and ${shown(other)}`;
  }

  #inTexts(one: string, other: string, place: string, name: string): string | undefined {
    if (HIDDEN.has(name)) return undefined;
    if (RENAMED.has(name)) return this.#isSameName(one, other) ? undefined : `${place}: ${one} is not ${other} here`;
    const [oneValue, otherValue] = [parsed(one), parsed(other)];
    if (isObject(oneValue) && isObject(otherValue)) return this.difference(oneValue, otherValue, place);
    return `${place}: ${shown(one)} and ${shown(other)}`;
  }

  #isSameName(one: string, other: string): boolean {
    const known = this.#toOther.get(one);
    const knownBack = this.#fromOther.get(other);
    if (known === undefined && knownBack === undefined) {
      this.#toOther.set(one, other);
      this.#fromOther.set(other, one);
      return true;
    }
    return known === other && knownBack === one;
  }

  #inLists(one: readonly unknown[], other: readonly unknown[], place: string): string | undefined {
    for (const [index, value] of one.entries()) {
      if (index >= other.length) break;
      const difference = this.difference(value, other[index], `${place}.${index}`);
      if (difference) return difference;
    }
    return one.length === other.length ? undefined : `${place}: ${one.length} and ${other.length} of them`;
  }

  /** The order of the fields counts too: clients see it. */
  #inObjects(one: Fields, other: Fields, place: string): string | undefined {
    const [names, otherNames] = [Object.keys(one), Object.keys(other)];
    if (names.join() !== otherNames.join()) return `${place}: fields ${names.join()} and ${otherNames.join()}`;
    for (const name of names) {
      const difference = this.difference(one[name], other[name], `${place}.${name}`);
      if (difference) return difference;
    }
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function byPath(errors: readonly unknown[]): unknown[] {
  return errors.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}
