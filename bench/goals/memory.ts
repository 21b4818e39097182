import { join } from 'node:path';
import { NO_RATE_LIMITS, runJob } from '../engine/conversations.ts';
import { createFullPopulation } from '../engine/population.ts';
import { prepareFilledFolder } from '../fill.ts';
import { startService } from '../processes.ts';
import { showProgress } from '../progress.ts';
import type { DeskMemoryResult } from './desk-memory-job.ts';

/** What open desks and a long queue cost, on the embedded database. */

export const DESK_COUNT = 1000;
export const WAITING_COUNT = 10_000;

export async function measureDeskMemory(cache: string, folder: string): Promise<DeskMemoryResult> {
  const filled = await prepareFilledFolder(cache, DESK_COUNT + 1, createFullPopulation(WAITING_COUNT));
  const file = join(folder, 'desks-memory.json');
  const service = await startService(filled, join(folder, 'desks'), {
    env: { ...NO_RATE_LIMITS, BENCH_MEMORY_FILE: file },
    program: ['./visitors/measured-service.ts', 'serve'],
  });
  showProgress(`goals: memory of ${DESK_COUNT} desks`);
  const result = await runJob({
    ...{ kind: 'desk-memory', urls: [`http://127.0.0.1:${service.port}`], service: { pid: service.pid, file } },
    operators: Array.from({ length: DESK_COUNT }, (_, index) => index + 2),
  });
  if (result.kind !== 'desk-memory') throw new Error('The generator returned the result of another job.');
  await service.stop();
  return result;
}
