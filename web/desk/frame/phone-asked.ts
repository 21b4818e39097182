import { readStored, writeStored } from '../../shared/stored.ts';

/** The question is about today. */
const KEY = 'desk:phone-asked';

/** Whether the operator has answered in this browser on this day. */
export function wasAskedToday(operatorId: string, now: Date): boolean {
  return readStored(KEY) === describeDay(operatorId, now);
}

export function noteAsked(operatorId: string, now: Date): void {
  writeStored(KEY, describeDay(operatorId, now));
}

/** The day where the operator is. */
function describeDay(operatorId: string, now: Date): string {
  return [operatorId, now.getFullYear(), now.getMonth() + 1, now.getDate()].join(' ');
}
