import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { spec as Spec } from 'node:test/reporters';

const MAX_SHOWN_FILES = 10;
/** Files here run other test files in one process, each as a suite declared in `SUITE_FILE`. */
const SHARED_PROCESS_FOLDER = 'test/together/';
const SUITE_FILE = 'test/support/processes/together.ts';

interface TestEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type of event has its own data
  readonly data: any;
}

/** The default report, with the slowest files before the summary. */
// biome-ignore lint/style/noDefaultExport: the test runner requires a default export
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  yield* Readable.from(addSlowestFiles(source)).compose(new Spec());
}

async function* addSlowestFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  const seconds = new Map<string, number>();
  let isReported = false;
  for await (const event of source) {
    const { type, data } = event;
    const file = data?.file === undefined ? '' : relative(process.cwd(), data.file);
    if (type === 'test:complete' && data.nesting === 1 && file === SUITE_FILE)
      seconds.set(data.name, data.details.duration_ms / 1000);
    if (type === 'test:summary' && file !== '' && !file.startsWith(SHARED_PROCESS_FOLDER))
      seconds.set(file, data.duration_ms / 1000);
    // The summary of the run comes last and starts with this line.
    if (type === 'test:diagnostic' && data.nesting === 0 && /^tests \d/.test(data.message) && !isReported) {
      isReported = true;
      yield* slowestFiles(seconds);
    }
    yield event;
  }
}

function slowestFiles(seconds: ReadonlyMap<string, number>): TestEvent[] {
  const rows = [...seconds].sort(([, one], [, other]) => other - one).slice(0, MAX_SHOWN_FILES);
  const lines = rows.map(([name, each]) => `${each.toFixed(1).padStart(7)} s  ${name}`);
  const messages = rows.length > 1 ? ['slowest files:', ...lines] : [];
  return messages.map((message) => ({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } }));
}
