import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkJournal } from '../../simulate/checks.ts';
import { computeFigures } from '../../simulate/figures.ts';
import type { Entry } from '../../simulate/journal.ts';
import { renderReportPage } from '../../simulate/page.ts';
import type { PlanOptions } from '../../simulate/plan.ts';
import { renderReportText } from '../../simulate/report.ts';
import { computeSeries } from '../../simulate/series.ts';
import { ANNA, BEN, JournalBuilder, VERA, validJournal, WILL } from './journal-builder.ts';

const OPTIONS: PlanOptions = {
  ...{ seed: '<4711>', durationMs: 1000, operators: 2, arrival: { kind: 'steady', perMinute: 60 }, handlingMs: 1000 },
  ...{ decline: 0, ignore: 0, disconnect: 0, abandon: 0, channels: { chat: 1, call: 0, video: 0 }, speed: 1 },
  ...{ leave: 0, typing: 0, read: 0, files: 0, absenceMinutes: 1 },
  ...{ websites: 1, skills: 0, groups: 0, languages: ['en'] },
};

function buildReport(entries: readonly Entry[]) {
  const startedAt = entries[0]?.at ?? 0;
  return { options: OPTIONS, startedAt, figures: computeFigures(entries), checks: checkJournal(entries) };
}

test('the figures match the journal', () => {
  const figures = computeFigures(validJournal().entries);
  assert.deepEqual(figures.conversations, {
    ...{ started: 2, refused: 0, abandoned: 0, left: 0, closed: 2, stillWaiting: 0, stillRunning: 0 },
  });
  assert.deepEqual(figures.offers, { accepted: 2, declined: 1, timed_out: 0, withdrawn: 0, open: 0 });
  assert.deepEqual(figures.messages, { acknowledged: 2, sentAgain: 0, received: 4 });
  assert.equal(figures.untilAccepted.count, 2);
  assert.equal(figures.streams.opened, 4);
  assert.equal(figures.utilisation.find(({ participant }) => participant === BEN)?.share.toFixed(2), '0.03');
});

test('the time from a freed slot to the next offer is measured from the close request and from its response', () => {
  const journal = new JournalBuilder();
  journal.addOperator(ANNA, 1);
  journal.start(VERA, 1);
  journal.offer(ANNA, VERA, 1);
  journal.accept(ANNA, VERA, 1);
  journal.start(WILL, 2);
  journal.close(ANNA, 1, [ANNA]);
  // Both events are of one transaction, so they have the same time.
  const closed = journal.entries.at(-1);
  assert.ok(closed?.kind === 'event_received');
  journal.add({ ...closed, type: 'conversation.offered', conversation: 2, position: closed.position + 1 });
  const figures = computeFigures(journal.entries);
  assert.equal(figures.closeRequestToOffer.count, 1);
  assert.equal(figures.closeRequestToOffer.most, 30);
  assert.equal(figures.closeResponseToOffer.most, 20);
});

test('the series show the queue length', () => {
  const journal = new JournalBuilder();
  journal.addOperator(ANNA);
  journal.start(VERA, 1);
  journal.advance(5000);
  journal.offer(ANNA, VERA, 1);
  journal.accept(ANNA, VERA, 1);
  journal.advance(5000);
  journal.close(ANNA, 1, [ANNA, VERA]);
  const { queue, waiting } = computeSeries(journal.entries);
  assert.deepEqual(
    [1, 4, 6, 9].map((second) => queue.find((point) => point.second === second)?.value),
    [1, 1, 0, 0],
  );
  assert.equal(
    waiting.reduce((sum, { count }) => sum + count, 0),
    1,
  );
});

test('problems are reported with their description, time and seed, in the text and on the page', () => {
  const journal = validJournal();
  journal.notify('conversation.closed', [VERA], { conversation: 1 });
  const report = buildReport(journal.entries);
  const text = renderReportText(report);
  assert.match(text, /BROKEN {2}every conversation was closed at most once/);
  assert.match(text, /0\.\d s: conversation 1: was closed 2 times/);
  assert.match(text, /--seed <4711>/);
  const page = renderReportPage(report, computeSeries(journal.entries));
  assert.match(page, /BROKEN.*every conversation was closed at most once.*was closed 2 times/s);
  assert.match(page, /&lt;4711&gt;/);
  assert.doesNotMatch(page, /<4711>|NaN|undefined|Infinity/);
});

test('an empty journal gives a report', () => {
  const page = renderReportPage(buildReport([]), computeSeries([]));
  assert.doesNotMatch(page, /NaN|undefined|Infinity/);
  assert.doesNotMatch(renderReportText(buildReport([])), /NaN|undefined|BROKEN/);
});

test('invalid options are rejected with a message', () => {
  const main = fileURLToPath(new URL('../../simulate/main.ts', import.meta.url));
  for (const [args, message] of [
    [['--operators', 'many'], /number from 1 to 1000/],
    [['--decline', '0.6', '--ignore', '0.6'], /together must be less than 1/],
    [['--arrival', 'rush:often'], /number/],
    [['--channels', 'chat:1,fax:1'], /chat, call, video/],
    [['--url', 'http://127.0.0.1:1'], /needs an admin/],
    [['--nothing'], /unknown option/],
  ] as const) {
    const { status, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
    assert.equal(status, 1, args.join(' '));
    assert.match(stderr, message);
  }
});
