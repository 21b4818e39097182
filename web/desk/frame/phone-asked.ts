import { readStored, writeStored } from '../../shared/stored.ts';

/** The question is about today. */
const KEY = 'desk:phone-asked';

/** Whether the operator has answered in this browser on this day. */
export function wasAskedToday(owner: string, now: Date): boolean {
  return readStored(KEY) === describeDay(owner, now);
}

export function noteAsked(owner: string, now: Date): void {
  writeStored(KEY, describeDay(owner, now));
}

/** The day where the operator is. */
function describeDay(owner: string, now: Date): string {
  return [owner, now.getFullYear(), now.getMonth() + 1, now.getDate()].join(' ');
}
