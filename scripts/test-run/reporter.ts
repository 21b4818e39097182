import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { spec as Spec } from 'node:test/reporters';
import { describeFailures, FailureCollector } from './failures.ts';
import { FigureCollector } from './figures.ts';
import type { TestEvent } from './test-event.ts';

/** Files here run other test files in one process, each as a suite declared in `SUITE_FILE`. */
const SHARED_PROCESS_FOLDER = 'test/together/';
const SUITE_FILE = 'test/support/processes/together.ts';

/** Returns what stands before the summary; `duration` has the seconds of each file. */
type DescribeRun = (duration: ReadonlyMap<string, number>) => readonly string[];

/**
 * The default report; before its summary, what `describeRun` returns, and how to repeat each failed test. With a title
 * it ends with one line of figures.
 */
export function createReporter(describeRun: DescribeRun, title?: string) {
  return async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
    const figures = new FigureCollector();
    yield* Readable.from(addClosingLines(figures.watch(source), describeRun)).compose(new Spec());
    if (title !== undefined) yield `${figures.describe(title)}\n`;
  };
}

async function* addClosingLines(source: AsyncIterable<TestEvent>, describeRun: DescribeRun): AsyncGenerator<TestEvent> {
  const duration = new Map<string, number>();
  const collector = new FailureCollector();
  let isReported = false;
  for await (const event of source) {
    const { type, data } = event;
    const file = data?.file === undefined ? '' : relative(process.cwd(), data.file);
    collector.add(event, file);
    if (type === 'test:complete' && data.nesting === 1 && file === SUITE_FILE)
      duration.set(toFileName(data.name), data.details.duration_ms / 1000);
    if (type === 'test:summary' && file !== '' && !file.startsWith(SHARED_PROCESS_FOLDER))
      duration.set(file, data.duration_ms / 1000);
    // The summary of the run comes last and starts with this line.
    if (type === 'test:diagnostic' && data.nesting === 0 && /^tests \d/.test(data.message) && !isReported) {
      isReported = true;
      for (const message of [...describeRun(duration), ...describeFailures(collector.failures)])
        yield { type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } };
    }
    yield event;
  }
}

/** `core/live/live on PostgreSQL` is `test/core/live/live.test.ts on PostgreSQL`. */
function toFileName(suite: string): string {
  return suite.replace(/^\S+/, (path) => `test/${path}.test.ts`);
}
