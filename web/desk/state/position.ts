/** Positions of the event log are whole numbers. Negative if the first one is the older. */
export function comparePositions(first: string, second: string): number {
  return Number(first) - Number(second);
}
