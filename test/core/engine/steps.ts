import fc from 'fast-check';
import { CHANNELS, type Channel } from '../../../src/core/kernel/channels.ts';

/** One step of a sequence; indexes wrap around the existing operators and conversations. */
export type Step =
  | { kind: 'start'; channel: Channel; language: string; visitor: number }
  | { kind: 'accept' | 'decline' | 'close'; conversation: number }
  | { kind: 'leave' | 'return'; visitor: number }
  | { kind: 'connect' | 'disconnect'; operator: number }
  | { kind: 'available'; operator: number; channel: Channel; available: boolean }
  | { kind: 'maximum'; operator: number; maximum: number }
  | { kind: 'wait'; milliseconds: number };

const channel = fc.constantFrom(...CHANNELS);
const index = fc.nat({ max: 99 });

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('start' as const),
      channel: fc.constantFrom('chat' as const, 'chat' as const, 'call' as const, 'video' as const),
      language: fc.constantFrom('en', 'en', 'fr'),
      visitor: fc.nat({ max: 5 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('accept' as const), conversation: index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('decline' as const), conversation: index }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('close' as const), conversation: index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('leave' as const, 'return' as const),
      visitor: fc.nat({ max: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('connect' as const), operator: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('disconnect' as const), operator: index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('available' as const),
      operator: index,
      channel,
      available: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('maximum' as const),
      operator: index,
      maximum: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      milliseconds: fc.constantFrom(1, 10_000, 30_000, 31_000, 61_000),
    }),
  },
);

/** Operators that differ in language, priority and capacity. */
export const TEAM = [
  { languages: ['en'], chatAndCall: false, priority: 0, chatMaximum: 2 },
  { languages: ['en', 'fr'], chatAndCall: true, priority: 10, chatMaximum: 1 },
  { languages: ['fr'], chatAndCall: false, priority: 0, chatMaximum: 3 },
] as const;
