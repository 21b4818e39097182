import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isOpen,
  type OpeningHours,
  openingHoursSchema,
  opensAt,
  parseOpeningHours,
  WEEKDAYS,
  type Weekday,
} from '../../../src/core/directory/opening-hours.ts';

const PARIS = 'Europe/Paris';
/** `mon-fri 09:00-17:00`, as many as needed. */
function weekly(...texts: string[]): OpeningHours['weekly'] {
  return texts.flatMap((text) => {
    const [days = '', range = ''] = text.split(' ');
    const [first = '', last = first] = days.split('-').map((day) => WEEKDAYS.findIndex((name) => name.startsWith(day)));
    const [from = '', to = ''] = range.split('-');
    return WEEKDAYS.slice(Number(first), Number(last) + 1).map((day: Weekday) => ({ day, from, to }));
  });
}

/** `2026-12-25` is closed, `2026-12-24 09:00-12:00` has other hours. */
function dates(...texts: string[]): OpeningHours['dates'] {
  return texts.map((text) => {
    const [date = '', ...ranges] = text.split(' ');
    return { date, ranges: ranges.map((range) => ({ from: range.slice(0, 5), to: range.slice(6) })) };
  });
}

const OFFICE: OpeningHours = { weekly: weekly('mon-fri 09:00-17:00'), dates: [] };
const NIGHT: OpeningHours = { weekly: weekly('fri-sat 22:00-02:00'), dates: [] };
const WHOLE_WEEK = weekly('mon-sun 00:00-24:00');

/** Name, hours, time zone, and for each moment `open` or the next opening; 21 December 2026 is a Monday. */
const CASES: readonly [string, OpeningHours | null, string, Readonly<Record<string, string | null>>][] = [
  ['no hours: always open', null, PARIS, { '2026-12-25T03:00:00Z': 'open' }],
  ['empty hours: always closed', { weekly: [], dates: [] }, PARIS, { '2026-12-25T03:00:00Z': null }],
  [
    'a working day: from the first to the last millisecond',
    OFFICE,
    PARIS,
    {
      '2026-12-21T07:59:59.999Z': '2026-12-21T08:00:00Z',
      '2026-12-21T08:00:00Z': 'open',
      '2026-12-21T15:59:59.999Z': 'open',
      '2026-12-21T16:00:00Z': '2026-12-22T08:00:00Z',
      '2026-12-25T16:00:00Z': '2026-12-28T08:00:00Z',
    },
  ],
  [
    'the day is that of the time zone, not of UTC',
    OFFICE,
    'Pacific/Kiritimati',
    { '2026-12-20T19:00:00Z': 'open', '2026-12-25T01:00:00Z': 'open', '2026-12-25T04:00:00Z': '2026-12-27T19:00:00Z' },
  ],
  [
    'the whole week: never closed, also at midnight',
    { weekly: WHOLE_WEEK, dates: [] },
    PARIS,
    { '2026-12-20T23:00:00Z': 'open', '2026-12-26T22:59:59.999Z': 'open', '2026-03-29T01:00:00Z': 'open' },
  ],
  [
    'past midnight: into the next day, and from Sunday into Monday',
    { weekly: weekly('fri 22:00-02:00', 'sun 23:00-00:00', 'mon 23:00-01:00'), dates: [] },
    PARIS,
    {
      '2026-12-25T20:59:00Z': '2026-12-25T21:00:00Z',
      '2026-12-25T23:00:00Z': 'open',
      '2026-12-26T00:59:59Z': 'open',
      '2026-12-26T01:00:00Z': '2026-12-27T22:00:00Z',
      '2026-12-27T22:59:59Z': 'open',
      '2026-12-27T23:00:00Z': '2026-12-28T22:00:00Z',
      '2026-12-28T23:30:00Z': 'open',
    },
  ],
  [
    'a closed date, and one with other hours',
    { ...OFFICE, dates: dates('2026-12-24 10:00-12:00', '2026-12-25', '2026-12-27 14:00-15:00') },
    PARIS,
    {
      '2026-12-24T08:30:00Z': '2026-12-24T09:00:00Z',
      '2026-12-24T10:59:59Z': 'open',
      '2026-12-24T11:00:00Z': '2026-12-27T13:00:00Z',
      '2026-12-25T10:00:00Z': '2026-12-27T13:00:00Z',
      '2026-12-27T13:30:00Z': 'open',
    },
  ],
  [
    'past midnight into a closed date: the range belongs to the day on which it starts',
    { ...NIGHT, dates: dates('2026-12-26') },
    PARIS,
    {
      '2026-12-26T00:30:00Z': 'open',
      '2026-12-26T01:00:00Z': '2027-01-01T21:00:00Z',
      '2026-12-26T21:30:00Z': '2027-01-01T21:00:00Z',
    },
  ],
  [
    'the day after a closed date does not get its hours past midnight',
    { ...NIGHT, dates: dates('2026-12-25') },
    PARIS,
    { '2026-12-25T23:30:00Z': '2026-12-26T21:00:00Z', '2026-12-26T23:30:00Z': 'open' },
  ],
  [
    'a date with hours past midnight',
    { weekly: [], dates: dates('2026-12-31 20:00-03:00') },
    PARIS,
    {
      '2026-01-01T00:00:00Z': '2026-12-31T19:00:00Z',
      '2027-01-01T01:59:59Z': 'open',
      '2027-01-01T02:00:00Z': null,
    },
  ],
  [
    'several ranges that touch or overlap are one',
    { weekly: weekly('mon 09:00-12:00', 'mon 12:00-13:00', 'mon 12:30-14:00', 'mon 15:00-16:00'), dates: [] },
    PARIS,
    {
      '2026-12-21T11:00:00Z': 'open',
      '2026-12-21T12:59:59Z': 'open',
      '2026-12-21T13:00:00Z': '2026-12-21T14:00:00Z',
      '2026-12-21T15:00:00Z': '2026-12-28T08:00:00Z',
    },
  ],
  [
    'daylight saving: the same time on the clock before and after',
    { weekly: weekly('sat-sun 09:00-17:00'), dates: [] },
    PARIS,
    {
      '2026-03-28T08:00:00Z': 'open',
      '2026-03-28T16:00:00Z': '2026-03-29T07:00:00Z',
      '2026-10-24T15:00:00Z': '2026-10-25T08:00:00Z',
    },
  ],
  [
    'daylight saving starts: a skipped opening is the end of the gap',
    { weekly: weekly('sun 02:30-05:00'), dates: [] },
    PARIS,
    {
      '2026-03-29T00:59:59Z': '2026-03-29T01:00:00Z',
      '2026-03-29T01:00:00Z': 'open',
      '2026-03-29T02:59:59Z': 'open',
      '2026-03-29T03:00:00Z': '2026-04-05T00:30:00Z',
    },
  ],
  [
    'daylight saving starts: a skipped closing is the end of the gap, and a skipped range does not exist',
    { weekly: weekly('sat 23:00-02:30', 'sun 02:10-02:50'), dates: [] },
    PARIS,
    { '2026-03-29T00:59:59Z': 'open', '2026-03-29T01:00:00Z': '2026-04-04T21:00:00Z' },
  ],
  [
    'daylight saving ends: the repeated hour is open twice, without a break',
    { weekly: weekly('sun 02:15-02:45'), dates: [] },
    PARIS,
    {
      '2026-10-25T00:14:59Z': '2026-10-25T00:15:00Z',
      '2026-10-25T00:15:00Z': 'open',
      '2026-10-25T00:50:00Z': 'open',
      '2026-10-25T01:44:59Z': 'open',
      '2026-10-25T01:45:00Z': '2026-11-01T01:15:00Z',
    },
  ],
  [
    'daylight saving at midnight: the day starts at one o’clock',
    { weekly: weekly('sun 00:00-08:00'), dates: [] },
    'America/Havana',
    { '2026-03-08T04:59:59Z': '2026-03-08T05:00:00Z', '2026-03-08T05:00:00Z': 'open', '2026-03-08T11:59:59Z': 'open' },
  ],
  [
    'daylight saving by half an hour',
    { weekly: weekly('sun 02:15-03:00'), dates: [] },
    'Australia/Lord_Howe',
    { '2026-10-03T15:29:59Z': '2026-10-03T15:30:00Z', '2026-10-03T15:59:59Z': 'open' },
  ],
  [
    'every Monday of a year is a holiday',
    {
      weekly: weekly('mon 09:00-10:00'),
      dates: dates(...Array.from({ length: 52 }, (_, week) => formatDate(Date.UTC(2026, 11, 21 + 7 * week)))),
    },
    'UTC',
    { '2026-12-20T00:00:00Z': '2027-12-20T09:00:00Z' },
  ],
];

function formatDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

const describe = (hours: OpeningHours | null, zone: string, at: number) => {
  const next = opensAt(hours, zone, at);
  if (isOpen(hours, zone, at)) return next === null ? 'open' : `open, but opens at ${next}`;
  return next === null ? null : new Date(next).toISOString().replace('.000Z', 'Z');
};

for (const [name, hours, zone, moments] of CASES) {
  test(`rule 24: ${name}`, () => {
    if (hours) openingHoursSchema.parse(hours);
    for (const [moment, expected] of Object.entries(moments)) {
      // A copy, so that nothing is known of an earlier moment.
      assert.equal(describe(structuredClone(hours), zone, Date.parse(moment)), expected, moment);
    }
    for (const [moment, expected] of [...Object.entries(moments), ...Object.entries(moments).reverse()]) {
      assert.equal(describe(hours, zone, Date.parse(moment)), expected, `${moment}, with what is known already`);
    }
  });
}

/** The definition for zones without daylight saving, minute by minute. */
function isOpenByDefinition({ weekly: week, dates: exceptions }: OpeningHours, at: number): boolean {
  return [0, 1].some((daysBack) => {
    const day = at - daysBack * 24 * 3600_000;
    const exception = exceptions.find(({ date }) => date === formatDate(day));
    const name = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7];
    const minute = Math.floor((at % (24 * 3600_000)) / 60_000) + daysBack * 24 * 60;
    return (exception?.ranges ?? week.filter((range) => range.day === name)).some(({ from, to }) => {
      const [start = 0, end = 0] = [from, to].map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));
      return minute >= start && minute < (end > start ? end : end + 24 * 60);
    });
  });
}

const time = fc.integer({ min: 0, max: 95 }).map((quarter) => {
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${pad(Math.floor(quarter / 4))}:${pad((quarter % 4) * 15)}`;
});
const range = fc.record({ from: time, to: time }).filter(({ from, to }) => from !== to);
const hoursArbitrary = fc.record({
  weekly: fc.array(fc.tuple(fc.constantFrom(...WEEKDAYS), range), { maxLength: 6 }),
  dates: fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.array(range, { maxLength: 2 })), {
    selector: ([day]) => day,
    maxLength: 4,
  }),
});

test('rule 24: generated hours are open as the definition says, and open next when they say', () => {
  const start = Date.UTC(2026, 11, 14);
  fc.assert(
    fc.property(hoursArbitrary, fc.array(fc.integer({ min: 0, max: 21 * 24 * 4 }), { minLength: 3 }), (input, at) => {
      const hours = openingHoursSchema.parse({
        weekly: input.weekly.map(([day, times]) => ({ day, ...times })),
        dates: input.dates.map(([day, ranges]) => ({ date: formatDate(start + day * 24 * 3600_000), ranges })),
      });
      for (const now of at.map((quarter) => start + quarter * 15 * 60_000)) {
        assert.equal(isOpen(hours, 'UTC', now), isOpenByDefinition(hours, now));
        const next = opensAt(hours, 'UTC', now);
        let expected: number | null = null;
        for (let later = now; later < now + 60 * 24 * 3600_000; later += 15 * 60_000) {
          if (!isOpenByDefinition(hours, later)) continue;
          expected = later;
          break;
        }
        assert.equal(next, expected === now ? null : expected);
      }
    }),
    { numRuns: 60 },
  );
});

test('rule 24: the same text gives the same hours, another time zone another result', () => {
  const text = JSON.stringify(OFFICE);
  const hours = parseOpeningHours(text);
  assert.equal(parseOpeningHours(text), hours);
  const now = Date.parse('2026-12-21T08:30:00Z');
  assert.deepEqual(
    [PARIS, 'UTC', PARIS].map((zone) => isOpen(hours, zone, now)),
    [true, false, true],
  );
});

test('rule 24: hours that mean nothing are refused', () => {
  const valid = {
    weekly: [{ day: 'monday', from: '09:00', to: '24:00' }],
    dates: [{ date: '2028-02-29', ranges: [] }],
  };
  assert.ok(openingHoursSchema.safeParse(valid).success);
  const withRange = (from: unknown, to: unknown) => ({ weekly: [{ day: 'monday', from, to }] });
  const withDates = (...list: unknown[]) => ({ weekly: [], dates: list.map((date) => ({ date, ranges: [] })) });
  const wrong = [
    ...[
      ['24:00', '09:00'],
      ['9:00', '10:00'],
      ['09:00', '09:00'],
      ['09:60', '10:00'],
      ['09:00', '24:01'],
      [9, 10],
    ],
  ].map(([from, to]) => withRange(from, to));
  const wrongDates = ['2026-02-29', '2026-13-01', '26-01-01', '1969-01-01', '2026-01-01T00:00:00Z', '', null];
  for (const hours of [
    ...wrong,
    ...wrongDates.map((date) => withDates(date)),
    withDates('2026-01-01', '2026-01-01'),
    {},
  ])
    assert.equal(openingHoursSchema.safeParse(hours).success, false, JSON.stringify(hours));
  const manyDates = Array.from({ length: 401 }, (_, day) => formatDate(Date.UTC(2026, 0, 1 + day)));
  assert.equal(openingHoursSchema.safeParse(withDates(...manyDates)).success, false);
  assert.equal(openingHoursSchema.safeParse(withDates(...manyDates.slice(1))).success, true);
});
