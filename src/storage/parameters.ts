/** Drivers silently accept objects, booleans and missing values, each in a different way. This throws instead. */
export function checkParameters(parameters: readonly unknown[]): (string | number | null | Uint8Array)[] {
  for (const value of parameters) {
    if (value === null || typeof value === 'string' || value instanceof Uint8Array) continue;
    if (typeof value === 'number' && Number.isFinite(value)) continue;
    throw new TypeError(`A ${value === undefined ? 'missing value' : typeof value} is not a valid SQL parameter.`);
  }
  return parameters as (string | number | null | Uint8Array)[];
}
