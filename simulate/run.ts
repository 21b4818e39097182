import type { HttpClient } from './http-client.ts';
import { type Journal, now } from './journal.ts';
import type { SimulationContext } from './people/context.ts';
import { SimulatedOperator } from './people/operator.ts';
import { SimulatedVisitor } from './people/visitor.ts';
import type { Plan } from './plan.ts';
import { Random } from './random.ts';
import type { Setup } from './setup.ts';
import { sleep } from './time.ts';
import { locateVisitorEvents } from './visitor-events.ts';

/** Without an event for this long, none is expected any more. */
const QUIET_MS = 500;
const QUIET_TIMEOUT_MS = 5000;

export interface SimulationInput {
  readonly client: HttpClient;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly setup: Setup;
  /** Ends the run early. */
  readonly stop: AbortSignal;
}

/** Runs all participants for the planned time, then waits until they have finished. */
export async function simulate({ client, journal, plan, setup, stop }: SimulationInput): Promise<void> {
  const startedAt = performance.now();
  const closing = new AbortController();
  const over = new AbortController();
  const context: SimulationContext = {
    ...{ client, journal, plan, setup, random: new Random(plan.options.seed) },
    ...{ closing: closing.signal, over: over.signal, elapsed: () => performance.now() - startedAt },
  };
  const operators = plan.operators.map((operatorPlan, index) => {
    const setupOperator = setup.operators[index];
    if (!setupOperator) throw new Error(`Operator ${index} is missing in the setup.`);
    return new SimulatedOperator(context, operatorPlan, setupOperator);
  });
  const visits = plan.visitors.map((visitorPlan) => new SimulatedVisitor(context, visitorPlan).visit());
  const work = operators.map((operator) => operator.run());
  await sleep(plan.options.durationMs, stop);
  closing.abort();
  await Promise.all(work);
  await waitUntilQuiet(journal);
  over.abort();
  await Promise.all(visits);
  await waitUntilQuiet(journal);
  await Promise.all(operators.map((operator) => operator.closeDesk()));
  await locateVisitorEvents(setup, journal.entries);
}

async function waitUntilQuiet(journal: Journal): Promise<void> {
  const deadline = performance.now() + QUIET_TIMEOUT_MS;
  while (performance.now() < deadline && now() - (journal.entries.at(-1)?.at ?? 0) < QUIET_MS) await sleep(50);
}
