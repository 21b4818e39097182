import type { HttpClient } from '../http-client.ts';
import type { Journal } from '../journal.ts';
import type { Plan } from '../plan.ts';
import type { Random } from '../random.ts';
import type { Setup } from '../setup.ts';

/** Shared by all participants of a simulation. */
export interface SimulationContext {
  readonly client: HttpClient;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly setup: Setup;
  readonly random: Random;
  /** After this signal no visitor arrives, and operators finish their conversations. */
  readonly closing: AbortSignal;
  /** After this signal no visitor waits any longer: all read their conversation once more and leave. */
  readonly over: AbortSignal;
  /** Milliseconds since the start. */
  elapsed(): number;
}

/** Sample messages: various scripts, line breaks and markup. */
const TEXTS = [
  'Hello',
  'Où est ma commande ?',
  'Danke schön',
  'こんにちは',
  'مرحبا',
  '👩🏽‍💻 ok',
  'first line\nsecond line',
  '<b>not bold</b> & "quoted"',
  'résumé, naïve, façade',
];

export function randomText(random: Random): string {
  const words = random.pick(TEXTS);
  return random.chance(0.02) ? words.repeat(50) : words;
}

/** The probability that a client sends the same request twice, as after a lost response. */
export const RESEND_CHANCE = 0.03;
