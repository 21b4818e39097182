import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkJournal } from '../../simulate/checks.ts';
import { figuresOf } from '../../simulate/figures.ts';
import type { Entry } from '../../simulate/journal.ts';
import { reportPage } from '../../simulate/page.ts';
import type { PlanOptions } from '../../simulate/plan.ts';
import { reportText } from '../../simulate/report.ts';
import { seriesOf } from '../../simulate/series.ts';
import { ANNA, BEN, goodStory, Story, VERA, WILL } from './story.ts';

const OPTIONS: PlanOptions = {
  ...{ seed: '<4711>', durationMs: 1000, operators: 2, arrival: { kind: 'steady', perMinute: 60 }, handlingMs: 1000 },
  ...{ decline: 0, ignore: 0, disconnect: 0, abandon: 0, channels: { chat: 1, call: 0, video: 0 }, speed: 1 },
  ...{ websites: 1, skills: 0, groups: 0, languages: ['en'] },
};

function reportOn(entries: readonly Entry[]) {
  const startedAt = entries[0]?.at ?? 0;
  return { options: OPTIONS, startedAt, figures: figuresOf(entries), checks: checkJournal(entries) };
}

test('the figures say what is in the journal', () => {
  const figures = figuresOf(goodStory().entries);
  assert.deepEqual(figures.conversations, {
    ...{ started: 2, refused: 0, abandoned: 0, closed: 2, stillWaiting: 0, stillRunning: 0 },
  });
  assert.deepEqual(figures.offers, { accepted: 2, declined: 1, timed_out: 0, withdrawn: 0, open: 0 });
  assert.deepEqual(figures.messages, { acknowledged: 2, sentAgain: 0, told: 4 });
  assert.equal(figures.untilAccepted.count, 2);
  assert.equal(figures.streams.opened, 4);
  assert.equal(figures.utilisation.find(({ who }) => who === BEN)?.share.toFixed(2), '0.03');
});

test('a freed slot that goes to somebody who waited is measured, from the request and from the answer', () => {
  const story = new Story();
  story.hire(ANNA, 1);
  story.start(VERA, 1);
  story.offer(ANNA, VERA, 1);
  story.accept(ANNA, VERA, 1);
  story.start(WILL, 2);
  story.close(ANNA, 1, [ANNA]);
  // Both events are of one step of the service, so that they have the same time.
  const closed = story.entries.at(-1);
  assert.ok(closed?.kind === 'told');
  story.add({ ...closed, type: 'conversation.offered', conversation: 2, position: closed.position + 1 });
  const figures = figuresOf(story.entries);
  assert.equal(figures.closeAskedToOffer.count, 1);
  assert.equal(figures.closeAskedToOffer.most, 30);
  assert.equal(figures.closeAnsweredToOffer.most, 20);
});

test('the series follow the queue', () => {
  const story = new Story();
  story.hire(ANNA);
  story.start(VERA, 1);
  story.pass(5000);
  story.offer(ANNA, VERA, 1);
  story.accept(ANNA, VERA, 1);
  story.pass(5000);
  story.close(ANNA, 1, [ANNA, VERA]);
  const { queue, waiting } = seriesOf(story.entries);
  assert.deepEqual(
    [1, 4, 6, 9].map((second) => queue.find((point) => point.second === second)?.value),
    [1, 1, 0, 0],
  );
  assert.equal(
    waiting.reduce((sum, { count }) => sum + count, 0),
    1,
  );
});

test('a broken journal is reported with what, when and the seed, on the terminal and on the page', () => {
  const story = goodStory();
  story.tell('conversation.closed', [VERA], { conversation: 1 });
  const report = reportOn(story.entries);
  const text = reportText(report);
  assert.match(text, /BROKEN {2}every conversation ended in exactly one way/);
  assert.match(text, /0\.\d s: conversation 1: was closed 2 times/);
  assert.match(text, /--seed <4711>/);
  const page = reportPage(report, seriesOf(story.entries));
  assert.match(page, /BROKEN.*every conversation ended in exactly one way.*was closed 2 times/s);
  assert.match(page, /&lt;4711&gt;/);
  assert.doesNotMatch(page, /<4711>|NaN|undefined|Infinity/);
});

test('a report on nothing is a report', () => {
  const page = reportPage(reportOn([]), seriesOf([]));
  assert.doesNotMatch(page, /NaN|undefined|Infinity/);
  assert.doesNotMatch(reportText(reportOn([])), /NaN|undefined|BROKEN/);
});

test('options that make no sense are refused in words', () => {
  const main = fileURLToPath(new URL('../../simulate/main.ts', import.meta.url));
  for (const [args, said] of [
    [['--operators', 'many'], /number from 1 to 1000/],
    [['--decline', '0.6', '--ignore', '0.6'], /together must be less than 1/],
    [['--arrival', 'rush:often'], /number/],
    [['--channels', 'chat:1,fax:1'], /chat, call, video/],
    [['--url', 'http://127.0.0.1:1'], /needs an admin/],
    [['--nothing'], /unknown option/],
  ] as const) {
    const { status, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
    assert.equal(status, 1, args.join(' '));
    assert.match(stderr, said);
  }
});
