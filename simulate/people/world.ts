import type { Client } from '../client.ts';
import type { Journal } from '../journal.ts';
import type { Plan } from '../plan.ts';
import type { Random } from '../random.ts';
import type { Stage } from '../stage.ts';

/** What everybody in a simulation shares. */
export interface World {
  readonly client: Client;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly stage: Stage;
  readonly random: Random;
  /** From now on nobody comes, and operators finish what they have. */
  readonly closing: AbortSignal;
  /** From now on nobody waits any longer: everybody looks once more and goes. */
  readonly over: AbortSignal;
  /** Milliseconds since the opening. */
  elapsed(): number;
}

/** Some of what people write: any script, line ends, and now and then a lot. */
const WORDS = [
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

export function someWords(random: Random): string {
  const words = random.pick(WORDS);
  return random.chance(0.02) ? words.repeat(50) : words;
}

/** Impatient clients, and those whose answer got lost, send the same again. */
export const SENT_TWICE = 0.03;
