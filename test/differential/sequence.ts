import { DatabaseUnavailable } from '../../src/storage/errors.ts';
import { Dice } from './dice.ts';
import { inOneLine, type Operation } from './operation.ts';
import { Pair } from './pair.ts';
import { someOperation } from './story-operations.ts';

/** How a sequence went wrong. */
export interface Failure {
  readonly message: string;
  /** What was done, up to the operation at which it showed. */
  readonly played: readonly Operation[];
}

export interface Played {
  readonly operations: number;
  /** How many had which kind of answer, to see that sequences do not only bring refusals. */
  readonly answers: Readonly<Record<string, number>>;
  readonly failure?: Failure;
}

/** The operations of a sequence, the same for the same seed. */
export function operationsOf(seed: number, length: number): Operation[] {
  const dice = new Dice(seed);
  return [...opening(), ...Array.from({ length }, () => someOperation(dice))];
}

const TRIES = 10;

/** Plays a sequence; once more from the beginning when a database did not answer in time: a busy machine is no difference. */
export async function playSequence(operations: readonly Operation[], tries = TRIES): Promise<Played> {
  try {
    return await playOnce(operations);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || tries <= 1) throw error;
    return playSequence(operations, tries - 1);
  }
}

/** Plays on two empty installations until the end or the first difference. */
async function playOnce(operations: readonly Operation[]): Promise<Played> {
  const pair = await Pair.open();
  const answers: Record<string, number> = {};
  let count = 0;
  try {
    for (const operation of operations) {
      count += 1;
      const { status, body } = await pair.play(operation);
      const kind = `${operation.kind} ${status}${/"userErrors":\[\{|"errors":\[/.test(body) ? ' refused' : ''}`;
      answers[kind] = (answers[kind] ?? 0) + 1;
    }
    await pair.compareEverything();
    return { operations: count, answers };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    return { operations: count, answers, failure: { message: String(error), played: operations.slice(0, count) } };
  } finally {
    await pair.end();
  }
}

/** Leaves out what is not needed for the difference to show, as long as there is time. */
export async function shortened({ message, played }: Failure, seconds: number): Promise<Failure> {
  const end = performance.now() + seconds * 1000;
  let kept: Failure = { message, played };
  for (let size = Math.ceil(played.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = kept.played.length - 1 - size; from > -size && performance.now() < end; from -= size) {
      const fewer = kept.played.filter((_, index) => index < from || index >= from + size);
      const { failure } = await playSequence(fewer);
      if (failure && place(failure.message) === place(kept.message)) kept = failure;
    }
  }
  return kept;
}

/** A difference is the same when it is in the same place. */
function place(message: string): string {
  return message.split(':', 2).join(':');
}

const SHOWN = 12;

/** What happened last, for whoever looks for the cause. */
export function trace(played: readonly Operation[]): string {
  const from = Math.max(0, played.length - SHOWN);
  return played
    .slice(from)
    .map((operation, index) => `${String(from + index + 1).padStart(5)}  ${inOneLine(operation)}`)
    .join('\n');
}

/** Two websites, people who work and a visitor: without them most operations would only be refused. */
function opening(): Operation[] {
  const all = { call_enabled: true, video_enabled: true, language_list: ['en', 'fr'], website_list: [1, 2] };
  const person = (name: string, more: object) =>
    add('operator', { name, email: `${name}@example.com`, ...all, ...more });
  return [
    add('website', { url: 'https://shop.example', label: 'Shop' }),
    add('website', { url: 'https://help.example', label: 'Help' }),
    add('group', { name: 'Élan' }),
    add('skill', { name: 'Straße' }),
    person('anna', {}),
    person('bert', { group_id: 1, skill_list: [1], chat_and_call: true }),
    person('cleo', { roles: ['manager'], group_id: 1, chat_priority: 10 }),
    person('dora', { language_list: ['fr'], chat_to_video: true }),
    { kind: 'session', body: { websiteId: 1 } },
    { kind: 'session', body: { websiteId: 2, language: 'fr' } },
    ...[2, 3, 4, 5].flatMap(beginToWork),
  ];
}

function beginToWork(as: number): Operation[] {
  const available = 'operatorAvailabilityUpdate(input: { chat: true, call: true, video: true })';
  return [available, 'operatorConnect(input: { ttlSeconds: 300 })'].map((field) => ({
    ...{ kind: 'graphql', as, variables: {} },
    query: `mutation { ${field} { operator { id } userErrors { message } } }`,
  }));
}

function add(thing: string, fields: object): Operation {
  const body = { body: JSON.stringify(fields), contentType: 'application/json' };
  return { kind: 'rest', key: 'write', method: 'POST', path: `/api/2/${thing}`, ...body };
}
