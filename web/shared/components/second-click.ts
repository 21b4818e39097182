/** Two clicks within this time and this near to each other are a double click. */
const TIME_MS = 500;
const DISTANCE = 8;

export interface Click {
  readonly x: number;
  readonly y: number;
  /** The time of its event, in milliseconds. */
  readonly at: number;
}

export function isSecondClick(first: Click, { x, y, at }: Click): boolean {
  return at - first.at < TIME_MS && Math.hypot(x - first.x, y - first.y) <= DISTANCE;
}
