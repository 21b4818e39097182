import { accepts } from './checks/accepts.ts';
import { capacity } from './checks/capacity.ts';
import type { Check, Problem } from './checks/check.ts';
import { endings } from './checks/endings.ts';
import { failures } from './checks/failures.ts';
import { files } from './checks/files.ts';
import { messages } from './checks/messages.ts';
import { oneOperator } from './checks/one-operator.ts';
import { positions } from './checks/positions.ts';
import { presence } from './checks/presence.ts';
import { queueOrder } from './checks/queue-order.ts';
import { readMarkers } from './checks/read-markers.ts';
import { visitorPresence } from './checks/visitor-presence.ts';
import type { Entry } from './journal.ts';
import { buildTimeline } from './timeline.ts';

/** All rules of the service that clients can observe. */
const CHECKS: readonly Check[] = [
  capacity,
  presence,
  visitorPresence,
  oneOperator,
  accepts,
  messages,
  files,
  readMarkers,
  endings,
  queueOrder,
  positions,
  failures,
];

export interface CheckResult {
  readonly name: string;
  readonly problems: readonly Problem[];
}

export function checkJournal(entries: readonly Entry[]): CheckResult[] {
  const timeline = buildTimeline(entries);
  return CHECKS.map((check) => ({ name: check.name, problems: check.findProblems(timeline, entries) }));
}
