import { join } from 'node:path';
import { DESK_COUNT, NO_RATE_LIMITS, runJob } from '../engine/conversations.ts';
import { idlePopulation, VISITOR_COUNT } from '../engine/population.ts';
import { prepareFilledFolder } from '../fill.ts';
import { startService } from '../processes.ts';
import { showProgress } from '../progress.ts';
import type { VisitorResult } from './visitor-job.ts';

/** Visitors with open pages: the memory of their sockets, and how quickly their messages arrive at the desk. */

const MESSAGES_PER_SECOND = 50;

export interface VisitorsBench {
  readonly cache: string;
  readonly folder: string;
  readonly milliseconds: number;
  readonly profile: string | undefined;
}

export interface VisitorsResult extends VisitorResult {
  readonly operators: number;
  readonly generatorUtilization: number;
}

export async function measureVisitors(bench: VisitorsBench): Promise<VisitorsResult> {
  const { cache, folder, milliseconds, profile } = bench;
  const filled = await prepareFilledFolder(cache, DESK_COUNT + 1, idlePopulation);
  const file = join(folder, 'visitors-memory.json');
  const service = await startService(filled, join(folder, 'visitors'), {
    env: { ...NO_RATE_LIMITS, BENCH_MEMORY_FILE: file },
    program: ['./visitors/measured-service.ts', 'serve'],
    profile,
  });
  showProgress(`visitors: ${VISITOR_COUNT} open sockets, ${MESSAGES_PER_SECOND} messages per second`);
  const result = await runJob({
    kind: 'visitors',
    urls: [`http://127.0.0.1:${service.port}`],
    service: { pid: service.pid, file },
    operators: Array.from({ length: DESK_COUNT }, (_, index) => index + 2),
    visitors: VISITOR_COUNT,
    perSecond: MESSAGES_PER_SECOND,
    milliseconds,
  });
  if (result.kind !== 'visitors') throw new Error('The generator returned the result of another job.');
  await service.stop();
  return { ...result, operators: DESK_COUNT };
}
