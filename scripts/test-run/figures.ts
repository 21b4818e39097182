import type { TestEvent } from './test-event.ts';

/** How a test names a figure: `t.diagnostic('figure: 50 kills')`. */
const FIGURE = /^figure: (\d+) (.+)$/;

/** Adds up the figures that the tests of a run name. */
export class FigureCollector {
  readonly #figures = new Map<string, number>();
  #passed = 0;
  #failed = 0;
  #milliseconds = 0;

  async *watch(source: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
    for await (const event of source) {
      this.add(event);
      yield event;
    }
  }

  add({ type, data }: TestEvent): void {
    const [, value, unit] = (type === 'test:diagnostic' && FIGURE.exec(data.message)) || [];
    if (unit !== undefined) this.#figures.set(unit, (this.#figures.get(unit) ?? 0) + Number(value));
    if (type !== 'test:summary' || data.file !== undefined) return;
    this.#passed = data.counts.passed;
    this.#failed = data.counts.tests - data.counts.passed - data.counts.skipped - data.counts.todo;
    this.#milliseconds = data.duration_ms;
  }

  /** For example `fault: 70 tests passed, 0 failed in 31 min; 50 kills, 1,200 writes acknowledged`. */
  describe(title: string): string {
    const figures = [...this.#figures].map(([unit, value]) => `${value.toLocaleString('en')} ${unit}`);
    const minutes = `${(this.#milliseconds / 60_000).toFixed(1)} min`;
    const tests = `${this.#passed.toLocaleString('en')} tests passed, ${this.#failed} failed in ${minutes}`;
    return `${title}: ${[tests, figures.join(', ')].filter((part) => part !== '').join('; ')}`;
  }
}
