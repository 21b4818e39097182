import type { Client } from './client.ts';
import { type Journal, now } from './journal.ts';
import { SimulatedOperator } from './people/operator.ts';
import { SimulatedVisitor } from './people/visitor.ts';
import type { World } from './people/world.ts';
import type { Plan } from './plan.ts';
import { Random } from './random.ts';
import type { Stage } from './stage.ts';
import { rest } from './time.ts';

/** Nothing more comes when nothing came for so long. */
const QUIET_MS = 500;
const QUIET_WITHIN_MS = 5000;

export interface Run {
  readonly client: Client;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly stage: Stage;
  /** Closes before the time. */
  readonly stop: AbortSignal;
}

/** Opens, lets everybody come, closes, and waits until everybody has gone. */
export async function simulate({ client, journal, plan, stage, stop }: Run): Promise<void> {
  const opened = performance.now();
  const closing = new AbortController();
  const over = new AbortController();
  const world: World = {
    ...{ client, journal, plan, stage, random: new Random(plan.options.seed) },
    ...{ closing: closing.signal, over: over.signal, elapsed: () => performance.now() - opened },
  };
  const operators = plan.operators.map((one, index) => {
    const staged = stage.operators[index];
    if (!staged) throw new Error(`Operator ${index} is not there.`);
    return new SimulatedOperator(world, one, staged);
  });
  const visits = plan.visitors.map((one) => new SimulatedVisitor(world, one).visit());
  const work = operators.map((operator) => operator.work());
  await rest(plan.options.durationMs, stop);
  closing.abort();
  await Promise.all(work);
  await quiet(journal);
  over.abort();
  await Promise.all(visits);
  await quiet(journal);
  await Promise.all(operators.map((operator) => operator.goHome()));
}

async function quiet(journal: Journal): Promise<void> {
  const deadline = performance.now() + QUIET_WITHIN_MS;
  while (performance.now() < deadline && now() - (journal.entries.at(-1)?.at ?? 0) < QUIET_MS) await rest(50);
}
