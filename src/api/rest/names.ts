const wireNames = new Map<string, string>();

/** Converts to snake case: `chatMaxNumber` → `chat_max_number`. */
export function toWireName(name: string): string {
  let wire = wireNames.get(name);
  if (wire === undefined) {
    wire = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    wireNames.set(name, wire);
  }
  return wire;
}

/** A path in form notation: `call_config[phone_number]`. */
export function toWirePath(path: readonly (string | number)[]): string {
  const [first = '', ...rest] = path.map((part) => (typeof part === 'string' ? toWireName(part) : String(part)));
  return first + rest.map((part) => `[${part}]`).join('');
}

/** Converts the keys of objects to snake case, recursively. */
export function toWireKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWireKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [toWireName(name), toWireKeys(inner)]));
}
