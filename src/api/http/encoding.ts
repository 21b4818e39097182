/** Content encodings, the cheapest first: at their fast levels, zstd and Brotli also compress better than gzip. */
export const ENCODINGS = ['zstd', 'br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Chooses the encoding from the header `Accept-Encoding` (RFC 9110); undefined to send the response as it is. */
export function chooseEncoding(
  header: string | undefined,
  available: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  if (!header) return undefined;
  const weights = new Map(header.split(',').map(parseWeight));
  let chosen: Encoding | undefined;
  let highest = weights.get('identity') ?? 0;
  for (const encoding of available) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0;
    if (weight <= highest) continue;
    chosen = encoding;
    highest = weight;
  }
  return chosen;
}

function parseWeight(item: string): [name: string, weight: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}
