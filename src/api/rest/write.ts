import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  AlreadyDone,
  type IdempotencyKeys,
  type KeptAnswer,
  type KeyedRequest,
} from '../../core/access/idempotency.ts';
import { type Caller, type Commit, requireWrite, type TransactIn } from '../../core/kernel/caller.ts';
import { idempotencyKey, keyedRequest } from '../http/idempotency-key.ts';
import { done, failure, sendJson } from './envelope.ts';
import { isKept, restError } from './errors.ts';
import { linkTo, pathId } from './resource.ts';

export interface WriteAnswer {
  readonly status: number;
  readonly body: string;
  readonly location?: string;
  /** The body with its secrets blanked, where it has any: what a repeated request gets. */
  readonly withoutSecrets?: string;
}

export interface Write<T> {
  perform(commit: Commit<T>): Promise<T>;
  /** Called inside the transaction where the answer is kept with the write: it must not wait for anything. */
  answer(result: T): WriteAnswer;
}

/** Performs writes, once per idempotency key where the caller sends one. */
export class Writes {
  readonly #transactIn: TransactIn;
  readonly #keys: IdempotencyKeys;

  constructor(transactIn: TransactIn, keys: IdempotencyKeys) {
    this.#transactIn = transactIn;
    this.#keys = keys;
  }

  async run<T>(request: FastifyRequest, reply: FastifyReply, write: Write<T>): Promise<FastifyReply> {
    requireWrite(request.caller);
    const keyed = readKeyedRequest(request);
    if (keyed) return this.#keys.alone(keyed, () => this.#once(keyed, reply, write));
    return send(reply, write.answer(await write.perform(this.#transactIn(request.caller.accountId))));
  }

  async #once<T>(keyed: KeyedRequest, reply: FastifyReply, write: Write<T>): Promise<FastifyReply> {
    const earlier = await this.#keys.earlierAnswer(keyed);
    if (earlier) return replay(reply, earlier);
    try {
      let answer: WriteAnswer | undefined;
      await write.perform(
        this.#keys.commit(keyed, (result: T) => {
          answer = write.answer(result);
          return kept(answer);
        }),
      );
      return send(reply, answer as WriteAnswer);
    } catch (error) {
      if (error instanceof AlreadyDone) return replay(reply, error.answer);
      const refusal = restError(error);
      if (refusal && isKept(refusal)) {
        await this.#keys.keep(keyed, { status: refusal.status, location: null, body: failure(refusal) });
      }
      throw error;
    }
  }
}

/** What a write that made something answers. */
export function created(resource: string, id: number, body: string): WriteAnswer {
  return { status: 201, body, location: `/api/2${linkTo(resource, id)}` };
}

interface Removal<T> {
  remove(commit: Commit<T>, caller: Caller, id: number): Promise<T>;
}

export function registerRemove<T>(app: FastifyInstance, resource: string, removal: Removal<T>, writes: Writes): void {
  app.delete(`/${resource}/:id`, (request, reply) =>
    writes.run<T>(request, reply, {
      perform: async (commit) => removal.remove(commit, request.caller, pathId(request, resource)),
      answer: () => ({ status: 200, body: done() }),
    }),
  );
}

function readKeyedRequest(request: FastifyRequest): KeyedRequest | undefined {
  const key = idempotencyKey(request);
  if (key === undefined) return undefined;
  const [path = ''] = request.url.split('?');
  const body = request.body instanceof Buffer ? request.body.toString('latin1') : '';
  return keyedRequest(request.caller, key, [request.method, path, request.headers['content-type'] ?? '', body]);
}

function kept({ status, body, location, withoutSecrets }: WriteAnswer): KeptAnswer {
  return { status, location: location ?? null, body: withoutSecrets ?? body };
}

function send(reply: FastifyReply, { status, body, location }: WriteAnswer): FastifyReply {
  if (location) reply.header('location', location);
  return sendJson(reply, status, body);
}

function replay(reply: FastifyReply, answer: KeptAnswer): FastifyReply {
  if (answer.location) reply.header('location', answer.location);
  return sendJson(reply.header('idempotency-replayed', 'true'), answer.status, answer.body);
}
