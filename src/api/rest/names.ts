const known = new Map<string, string>();

/** A name of the code in the spelling of the interface: `chatMaxNumber` is `chat_max_number`. */
export function wireName(name: string): string {
  let wire = known.get(name);
  if (wire === undefined) {
    wire = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    known.set(name, wire);
  }
  return wire;
}

/** A path into an object as a form spells it: `call_config[phone_number]`. */
export function wirePath(path: readonly (string | number)[]): string {
  const [first = '', ...rest] = path.map((part) => (typeof part === 'string' ? wireName(part) : String(part)));
  return first + rest.map((part) => `[${part}]`).join('');
}

/** An object with its keys, and those of objects inside it, in the spelling of the interface. */
export function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [wireName(name), toWire(inner)]));
}
