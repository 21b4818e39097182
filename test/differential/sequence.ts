import { DatabaseUnavailable } from '../../src/storage/errors.ts';
import { formatOperation, type Operation } from './operation.ts';
import { Pair } from './pair.ts';
import { Random } from './random.ts';
import { randomOperation } from './random-operations.ts';

export interface SequenceFailure {
  readonly message: string;
  /** All operations up to the failed one. */
  readonly operations: readonly Operation[];
}

export interface SequenceResult {
  readonly operations: number;
  /** Counts by kind of response, to see that not all operations are refused. */
  readonly responseCounts: Readonly<Record<string, number>>;
  readonly failure?: SequenceFailure;
}

/** The operations of a sequence, the same for the same seed. */
export function generateOperations(seed: number, length: number): Operation[] {
  const random = new Random(seed);
  return [...buildInitialOperations(), ...Array.from({ length }, () => randomOperation(random))];
}

const MAX_ATTEMPTS = 10;

/** Runs a sequence, and restarts it if a database did not respond in time: a busy machine is not a difference. */
export async function runSequence(operations: readonly Operation[], tries = MAX_ATTEMPTS): Promise<SequenceResult> {
  try {
    return await runOnce(operations);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || tries <= 1) throw error;
    return runSequence(operations, tries - 1);
  }
}

/** Runs on two empty installations until the end or the first difference. */
async function runOnce(operations: readonly Operation[]): Promise<SequenceResult> {
  const pair = await Pair.open();
  const responseCounts: Record<string, number> = {};
  let count = 0;
  try {
    for (const operation of operations) {
      count += 1;
      const { status, body } = await pair.run(operation);
      const kind = `${operation.kind} ${status}${/"userErrors":\[\{|"errors":\[/.test(body) ? ' refused' : ''}`;
      responseCounts[kind] = (responseCounts[kind] ?? 0) + 1;
    }
    await pair.compareEverything();
    return { operations: count, responseCounts };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    return {
      operations: count,
      responseCounts,
      failure: { message: String(error), operations: operations.slice(0, count) },
    };
  } finally {
    await pair.close();
  }
}

/** Removes operations that are not needed to reproduce the difference, until the time is up. */
export async function shortenFailure(
  { message, operations }: SequenceFailure,
  seconds: number,
): Promise<SequenceFailure> {
  const end = performance.now() + seconds * 1000;
  let shortest: SequenceFailure = { message, operations };
  for (let size = Math.ceil(operations.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = shortest.operations.length - 1 - size; from > -size && performance.now() < end; from -= size) {
      const remaining = shortest.operations.filter((_, index) => index < from || index >= from + size);
      const { failure } = await runSequence(remaining);
      if (failure && differenceKey(failure.message) === differenceKey(shortest.message)) shortest = failure;
    }
  }
  return shortest;
}

/** Two differences are the same if they have the same path. */
function differenceKey(message: string): string {
  return message.split(':', 2).join(':');
}

const MAX_TRACE_LENGTH = 12;

/** Formats the last operations for debugging. */
export function formatTrace(operations: readonly Operation[]): string {
  const from = Math.max(0, operations.length - MAX_TRACE_LENGTH);
  return operations
    .slice(from)
    .map((operation, index) => `${String(from + index + 1).padStart(5)}  ${formatOperation(operation)}`)
    .join('\n');
}

/** Two websites, available operators and two visitors: without them most operations would be refused. */
function buildInitialOperations(): Operation[] {
  const all = { call_enabled: true, video_enabled: true, language_list: ['en', 'fr'], website_list: [1, 2] };
  const createOperator = (name: string, overrides: object) =>
    create('operator', { name, email: `${name}@example.com`, ...all, ...overrides });
  return [
    create('website', { url: 'https://shop.example', label: 'Shop' }),
    create('website', { url: 'https://help.example', label: 'Help' }),
    create('group', { name: 'Élan' }),
    create('skill', { name: 'Straße' }),
    createOperator('anna', {}),
    createOperator('bert', { group_id: 1, skill_list: [1], chat_and_call: true }),
    createOperator('cleo', { roles: ['manager'], group_id: 1, chat_priority: 10 }),
    createOperator('dora', { language_list: ['fr'], chat_to_video: true }),
    { kind: 'session', body: { websiteId: 1 } },
    { kind: 'session', body: { websiteId: 2, language: 'fr' } },
    ...[2, 3, 4, 5].flatMap(becomeAvailable),
  ];
}

function becomeAvailable(as: number): Operation[] {
  const available = 'operatorAvailabilityUpdate(input: { chat: true, call: true, video: true })';
  return [available, 'operatorConnect(input: { ttlSeconds: 300 })'].map((field) => ({
    ...{ kind: 'graphql', as, variables: {} },
    query: `mutation { ${field} { operator { id } userErrors { message } } }`,
  }));
}

function create(resource: string, fields: object): Operation {
  const body = { body: JSON.stringify(fields), contentType: 'application/json' };
  return { kind: 'rest', key: 'write', method: 'POST', path: `/api/2/${resource}`, ...body };
}
