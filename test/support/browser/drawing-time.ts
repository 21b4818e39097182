import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Of the page's thread. A page of ours needs a tenth of it. */
const MAX_SECONDS = 2;

export interface DrawingTime {
  /** Fails if the page keeps its thread busy for long while `work` happens, which does not load a page. */
  assertQuick(state: string, work: () => Promise<void>): Promise<void>;
}

/** Measures processor time: the clock says as much about the machine. */
export async function measureDrawing(page: Page): Promise<DrawingTime> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  return {
    async assertQuick(state, work) {
      const start = await read();
      await work();
      const seconds = (await read()) - start;
      assert.ok(seconds < MAX_SECONDS, `${state}: the page was busy for ${seconds.toFixed(1)} s`);
    },
  };
}
