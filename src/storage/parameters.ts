/** Drivers take objects, booleans and missing values without a word, each in their own way; a mistake must be loud instead. */
export function checked(parameters: readonly unknown[]): (string | number | null)[] {
  for (const value of parameters) {
    if (value === null || typeof value === 'string') continue;
    if (typeof value === 'number' && Number.isFinite(value)) continue;
    throw new TypeError(`A ${value === undefined ? 'missing value' : typeof value} is no SQL parameter.`);
  }
  return parameters as (string | number | null)[];
}
