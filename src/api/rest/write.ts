import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  AlreadyProcessed,
  type IdempotencyKeys,
  type KeyedRequest,
  type StoredResponse,
} from '../../core/access/idempotency.ts';
import { type Caller, type Commit, requireWrite, type TransactInAccount } from '../../core/kernel/caller.ts';
import { readIdempotencyKey, toKeyedRequest } from '../http/idempotency-key.ts';
import { renderFailure, renderSuccess, sendJson } from './envelope.ts';
import { isReplayable, toRestError } from './errors.ts';
import { buildLink, readPathId } from './resource.ts';

export interface WriteResponse {
  readonly status: number;
  readonly body: string;
  readonly location?: string;
  /** The body without secrets, if it has any: the response to a retry. */
  readonly redactedBody?: string;
}

export interface Write<T> {
  perform(commit: Commit<T>): Promise<T>;
  /** With an idempotency key this runs inside the transaction, to store the response with the write. */
  toResponse(result: T): WriteResponse;
}

/** Performs each write, at most once per idempotency key. */
export class Writes {
  readonly #transactIn: TransactInAccount;
  readonly #keys: IdempotencyKeys;

  constructor(transactIn: TransactInAccount, keys: IdempotencyKeys) {
    this.#transactIn = transactIn;
    this.#keys = keys;
  }

  async run<T>(request: FastifyRequest, reply: FastifyReply, write: Write<T>): Promise<FastifyReply> {
    requireWrite(request.caller);
    const keyedRequest = readKeyedRequest(request);
    if (keyedRequest) return this.#keys.runExclusively(keyedRequest, () => this.#runOnce(keyedRequest, reply, write));
    return send(reply, write.toResponse(await write.perform(this.#transactIn(request.caller.accountId))));
  }

  async #runOnce<T>(keyedRequest: KeyedRequest, reply: FastifyReply, write: Write<T>): Promise<FastifyReply> {
    const stored = await this.#keys.findResponse(keyedRequest);
    if (stored) return replay(reply, stored);
    try {
      let response: WriteResponse | undefined;
      await write.perform(
        this.#keys.commit(keyedRequest, (result: T) => {
          response = write.toResponse(result);
          return toStoredResponse(response);
        }),
      );
      return send(reply, response as WriteResponse);
    } catch (error) {
      if (error instanceof AlreadyProcessed) return replay(reply, error.response);
      const restError = toRestError(error);
      if (restError && isReplayable(restError)) {
        await this.#keys.storeResponse(keyedRequest, {
          status: restError.status,
          location: null,
          body: renderFailure(restError),
        });
      }
      throw error;
    }
  }
}

export function toCreatedResponse(resource: string, id: number, body: string): WriteResponse {
  return { status: 201, body, location: `/api/2${buildLink(resource, id)}` };
}

interface Deleter<T> {
  delete(commit: Commit<T>, caller: Caller, id: number): Promise<T>;
}

export function registerDelete<T>(app: FastifyInstance, resource: string, deleter: Deleter<T>, writes: Writes): void {
  app.delete(`/${resource}/:id`, (request, reply) =>
    writes.run<T>(request, reply, {
      perform: async (commit) => deleter.delete(commit, request.caller, readPathId(request, resource)),
      toResponse: () => ({ status: 200, body: renderSuccess() }),
    }),
  );
}

function readKeyedRequest(request: FastifyRequest): KeyedRequest | undefined {
  const key = readIdempotencyKey(request);
  if (key === undefined) return undefined;
  const [path = ''] = request.url.split('?');
  const body = request.body instanceof Buffer ? request.body.toString('latin1') : '';
  return toKeyedRequest(request.caller, key, [request.method, path, request.headers['content-type'] ?? '', body]);
}

function toStoredResponse({ status, body, location, redactedBody }: WriteResponse): StoredResponse {
  return { status, location: location ?? null, body: redactedBody ?? body };
}

function send(reply: FastifyReply, { status, body, location }: WriteResponse): FastifyReply {
  if (location) reply.header('location', location);
  return sendJson(reply, status, body);
}

function replay(reply: FastifyReply, response: StoredResponse): FastifyReply {
  if (response.location) reply.header('location', response.location);
  return sendJson(reply.header('idempotency-replayed', 'true'), response.status, response.body);
}
