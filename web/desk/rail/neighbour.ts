/** The conversation before or after the open one; from none, the first or the last. */
export function findNeighbour(ids: readonly string[], openId: string | undefined, step: 1 | -1): string | undefined {
  if (ids.length === 0) return undefined;
  const index = openId === undefined ? -1 : ids.indexOf(openId);
  if (index === -1) return step === 1 ? ids[0] : ids.at(-1);
  return ids[(index + step + ids.length) % ids.length];
}
