import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepareCacheFolder } from '../cache-folder.ts';
import { DIRECTORY, type Population, prepareFilledFolder } from '../fill.ts';
import { type Server, startService } from '../processes.ts';

/** The defaults of the service, which other benchmarks change. An empty variable counts as not set. */
const DEFAULT_SETTINGS = { SWITCHBOARD_OVERLOAD_SECONDS: '' };

export const OPERATOR_COUNT = 1000;

/** Runs the real service, by default on a database of 1,000 operators, while `measure` runs. */
export async function withService<T>(
  env: Readonly<Record<string, string>>,
  measure: (service: Server) => Promise<T>,
  { population = DIRECTORY, operatorCount = OPERATOR_COUNT }: { population?: Population; operatorCount?: number } = {},
): Promise<T> {
  const cache = prepareCacheFolder();
  const filled = await prepareFilledFolder(cache, operatorCount, population);
  const folder = mkdtempSync(join(cache, 'overload-'));
  try {
    const service = await startService(filled, join(folder, 'service'), { env: { ...DEFAULT_SETTINGS, ...env } });
    try {
      return await measure(service);
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
