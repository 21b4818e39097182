import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { spec as Spec } from 'node:test/reporters';

const SHOWN = 10;
/** Files that run others in their process, each as a suite that stands here. */
const SHARED = 'test/together/';
const SUITES = 'test/support/processes/together.ts';

interface TestEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type of event has its own data
  readonly data: any;
}

/** The runner's own report, with the slowest files before its closing lines. */
// biome-ignore lint/style/noDefaultExport: the runner takes a reporter from there
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  yield* Readable.from(withSlowest(source)).compose(new Spec());
}

async function* withSlowest(source: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  const seconds = new Map<string, number>();
  let isTold = false;
  for await (const event of source) {
    const { type, data } = event;
    const file = data?.file === undefined ? '' : relative(process.cwd(), data.file);
    if (type === 'test:complete' && data.nesting === 1 && file === SUITES)
      seconds.set(data.name, data.details.duration_ms / 1000);
    if (type === 'test:summary' && file !== '' && !file.startsWith(SHARED)) seconds.set(file, data.duration_ms / 1000);
    // The counts of the whole run come last, and begin with this one.
    if (type === 'test:diagnostic' && data.nesting === 0 && /^tests \d/.test(data.message) && !isTold) {
      isTold = true;
      yield* slowest(seconds);
    }
    yield event;
  }
}

function slowest(seconds: ReadonlyMap<string, number>): TestEvent[] {
  const rows = [...seconds].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
  const lines = rows.map(([name, each]) => `${each.toFixed(1).padStart(7)} s  ${name}`);
  const told = rows.length > 1 ? ['the slowest files:', ...lines] : [];
  return told.map((message) => ({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } }));
}
