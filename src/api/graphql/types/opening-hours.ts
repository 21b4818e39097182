import { isOpen, type OpeningHours, opensAt, type Weekday } from '../../../core/directory/opening-hours.ts';
import { builder, createEnum, type InputFieldBuilder } from '../builder.ts';
import { WebsiteRef } from './directory.ts';

const WeekdayEnum = createEnum<Weekday>('Weekday', 'A day of the week.', {
  monday: 'Monday.',
  tuesday: 'Tuesday.',
  wednesday: 'Wednesday.',
  thursday: 'Thursday.',
  friday: 'Friday.',
  saturday: 'Saturday.',
  sunday: 'Sunday.',
});

const DESCRIPTIONS = {
  hours:
    'The opening hours of a website, in its time zone. A range belongs to the day on which it starts, also if it ends on the next day. The hours of a date replace those of its weekday.',
  weekly: 'The ranges of every week. None: closed except on the dates.',
  dates: 'Dates with other hours than their weekday, in order, for example holidays.',
  range: 'A time of day at which the website is open.',
  weeklyRange: 'A range on a day of the week.',
  dateHours: 'The hours of one date.',
  day: 'The day on which the range starts.',
  from: 'The first minute, for example `09:00`.',
  to: 'The end, for example `17:30`, or `24:00`. If it is not after the start, it is on the next day.',
  date: 'The date, for example `2026-12-24`.',
  ranges: 'The ranges that start on this date. None: closed.',
} as const;

type Range = OpeningHours['dates'][number]['ranges'][number];

const TimeRangeRef = builder.objectRef<Range>('TimeRange').implement({
  description: DESCRIPTIONS.range,
  fields: (t) => ({
    from: t.exposeString('from', { description: DESCRIPTIONS.from }),
    to: t.exposeString('to', { description: DESCRIPTIONS.to }),
  }),
});

const WeeklyRangeRef = builder.objectRef<OpeningHours['weekly'][number]>('WeeklyRange').implement({
  description: DESCRIPTIONS.weeklyRange,
  fields: (t) => ({
    day: t.expose('day', { type: WeekdayEnum, description: DESCRIPTIONS.day }),
    from: t.exposeString('from', { description: DESCRIPTIONS.from }),
    to: t.exposeString('to', { description: DESCRIPTIONS.to }),
  }),
});

const DateHoursRef = builder.objectRef<OpeningHours['dates'][number]>('DateHours').implement({
  description: DESCRIPTIONS.dateHours,
  fields: (t) => ({
    date: t.exposeString('date', { description: DESCRIPTIONS.date }),
    ranges: t.field({ type: [TimeRangeRef], description: DESCRIPTIONS.ranges, resolve: ({ ranges }) => ranges }),
  }),
});

const OpeningHoursRef = builder.objectRef<OpeningHours>('OpeningHours').implement({
  description: DESCRIPTIONS.hours,
  fields: (t) => ({
    weekly: t.field({ type: [WeeklyRangeRef], description: DESCRIPTIONS.weekly, resolve: ({ weekly }) => weekly }),
    dates: t.field({ type: [DateHoursRef], description: DESCRIPTIONS.dates, resolve: ({ dates }) => dates }),
  }),
});

builder.objectFields(WebsiteRef, (t) => ({
  openingHours: t.field({
    type: OpeningHoursRef,
    nullable: true,
    description: 'When visitors can start conversations. Null: always.',
    resolve: ({ openingHours }) => openingHours,
  }),
  isOpen: t.boolean({
    description: 'Whether visitors can start conversations now, by the opening hours.',
    resolve: async ({ openingHours, timezone }, _args, { load }) => isOpen(openingHours, timezone, await load.now()),
  }),
  opensAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'The next opening. Null while the website is open, and if it never opens again.',
    resolve: async ({ openingHours, timezone }, _args, { load }) => opensAt(openingHours, timezone, await load.now()),
  }),
}));

const rangeFields = (t: InputFieldBuilder) => ({
  from: t.string({ required: true, description: DESCRIPTIONS.from }),
  to: t.string({ required: true, description: DESCRIPTIONS.to }),
});

const TimeRangeInput = builder.inputType('TimeRangeInput', { description: DESCRIPTIONS.range, fields: rangeFields });

const WeeklyRangeInput = builder.inputType('WeeklyRangeInput', {
  description: DESCRIPTIONS.weeklyRange,
  fields: (t) => ({
    day: t.field({ type: WeekdayEnum, required: true, description: DESCRIPTIONS.day }),
    ...rangeFields(t),
  }),
});

const DateHoursInput = builder.inputType('DateHoursInput', {
  description: DESCRIPTIONS.dateHours,
  fields: (t) => ({
    date: t.string({ required: true, description: DESCRIPTIONS.date }),
    ranges: t.field({ type: [TimeRangeInput], required: true, description: DESCRIPTIONS.ranges }),
  }),
});

export const OpeningHoursInput = builder.inputType('OpeningHoursInput', {
  description: DESCRIPTIONS.hours,
  fields: (t) => ({
    weekly: t.field({ type: [WeeklyRangeInput], required: true, description: DESCRIPTIONS.weekly }),
    dates: t.field({ type: [DateHoursInput], description: `${DESCRIPTIONS.dates} None by default.` }),
  }),
});
