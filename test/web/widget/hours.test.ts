import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeHours, describeTimeZone } from '../../../web/widget/panel/parts/hours.ts';

const WORKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'];
const weekly = [
  ...WORKDAYS.flatMap((day) => [
    { day, from: '14:00', to: '18:00' },
    { day, from: '09:00', to: '12:30' },
  ]),
  { day: 'SATURDAY', from: '22:00', to: '24:00' },
];
const NOW = new Date('2026-12-22T12:00:00Z');

test('days with the same hours share a line, in the order of the week', () => {
  const lines = describeHours({ weekly, dates: [] }, NOW, 'UTC', 'en-GB');
  const words = lines.map(({ days, times }) => ({ days: days.replaceAll('\u2009', ' '), times }));
  assert.deepEqual(words, [
    { days: 'Monday – Friday', times: ['9:00 – 12:30', '14:00 – 18:00'] },
    { days: 'Saturday', times: ['22:00 – 0:00'] },
    { days: 'Sunday', times: [] },
  ]);
  const [first] = describeHours({ weekly, dates: [] }, NOW, 'UTC', 'de');
  assert.match(first?.days ?? '', /^Montag.*Freitag$/);
});

test('the dates of the next seven days that differ are named', () => {
  const dates = [
    { date: '2026-12-21', ranges: [] },
    { date: '2026-12-24', ranges: [{ from: '09:00', to: '12:00' }] },
    { date: '2026-12-25', ranges: [] },
    { date: '2026-12-31', ranges: [] },
  ];
  const lines = describeHours({ weekly, dates }, NOW, 'UTC', 'en-GB').slice(3);
  assert.deepEqual(lines, [
    { days: 'Thursday 24 December', times: ['9:00 – 12:00'] },
    { days: 'Friday 25 December', times: [] },
  ]);
});

test('the date is that of the website', () => {
  const dates = [{ date: '2026-12-22', ranges: [] }];
  const count = (timeZone: string) => describeHours({ weekly, dates }, NOW, timeZone, 'en').length;
  assert.equal(count('UTC'), 4);
  assert.equal(count('Pacific/Kiritimati'), 3, 'there it is the 23rd');
});

test('the time zone is named only if its clocks show another time', () => {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  assert.equal(describeTimeZone(NOW, own, 'en'), undefined);
  const other = describeTimeZone(NOW, 'Pacific/Kiritimati', 'en');
  assert.equal(other, 'Line Islands Time');
});
