import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LiveRequest } from '../../core/engine/presence/live-query.ts';
import type { LiveService, LiveStamp } from '../../core/engine/presence/live-service.ts';
import { RENDERED_TEXT_LIMITS, VersionedCache } from '../../core/kernel/caches.ts';
import { CHANNELS } from '../../core/kernel/channels.ts';
import { invalidField, unknownId } from '../../core/kernel/errors.ts';
import { type LiveUpdate, liveUpdate, toOperatorLive } from '../../core/live/live.ts';
import type { Operator } from '../../core/operators/operator.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { readBody } from './body.ts';
import type { ReadCaches } from './cached-reads.ts';
import {
  type Pagination,
  renderList,
  renderListEnd,
  renderListStart,
  renderSingle,
  renderSuccess,
  sendJson,
} from './envelope.ts';
import { createFilterFeatureReader, ReadMeter } from './meter.ts';
import { toWireKeys } from './names.ts';
import { OPERATOR_FILTERS } from './operator.ts';
import {
  type Paging,
  type Query,
  readFilters,
  readPaging,
  readQuery,
  readSingleSelection,
  type Selection,
} from './query.ts';
import { readPathId, renderSubresource, toWindow } from './resource.ts';
import { readInput } from './wire.ts';
import type { Writes } from './write.ts';

/** Longer lists are streamed. */
const MAX_BUFFERED_ROWS = 2000;

/** Renders live states as JSON, once per version. */
class LiveRenderer {
  readonly #live: LiveService;
  readonly #rendered = new VersionedCache<string>(RENDERED_TEXT_LIMITS);

  constructor(live: LiveService) {
    this.#live = live;
  }

  async render(accountId: number, stamps: readonly LiveStamp[], selection: Selection): Promise<string[]> {
    const texts = await this.#renderFull(accountId, stamps);
    return selection === 'all' ? texts : texts.map((text) => renderSubresource(JSON.parse(text), selection));
  }

  #renderFull(accountId: number, stamps: readonly LiveStamp[]): Promise<string[]> {
    const load = async (missing: readonly LiveStamp[]) => {
      const ids = missing.map(({ id }) => id);
      return (await this.#live.loadStates(accountId, ids)).map(({ id, version, state }) => {
        const value = JSON.stringify(toWireKeys(toOperatorLive(id, state)));
        return { id, version, connected: state.connected, value };
      });
    };
    return this.#rendered.getAll(stamps, (stamp) => toCacheKey(accountId, stamp), load);
  }
}

/** `connected` is part of the key because a lease expires without a new version. */
function toCacheKey(accountId: number, { id, connected }: LiveStamp): string {
  return `${accountId}${connected ? '+' : '-'}${id}`;
}

/** The name of the `connected=0` parameter in the migration meter. */
export const INCLUDE_OFFLINE_FEATURE = 'GET /operator/live?connected=0';

export function registerOperatorLive(
  app: FastifyInstance,
  live: LiveService,
  writes: Writes,
  usage: RestUsage,
  { lists, reads }: ReadCaches,
): void {
  const renderer = new LiveRenderer(live);
  const readFilterFeatures = createFilterFeatureReader('/operator/live', OPERATOR_FILTERS);
  const meter = new ReadMeter(usage, (query) => [
    ...readFilterFeatures(query),
    ...(readLiveRequest(query).includeOffline ? [INCLUDE_OFFLINE_FEATURE] : []),
  ]);

  app.get('/operator/live', async (request, reply) => {
    const query = readQuery(request);
    const liveRequest = readLiveRequest(query);
    meter.count(request.caller, request.url);
    if (liveRequest.includeOffline) return sendWithOffline(request, reply, liveRequest, query);
    const selection = readSingleSelection(query);
    const body = await lists.getOrRender(request, async () => {
      const { found: list, pagination, notice } = await loadPage(request, liveRequest, readPaging(query));
      const items: string[] = [];
      for await (const batch of list.batches)
        items.push(...(await renderer.render(request.caller.accountId, batch, selection)));
      return { body: renderList(items, pagination, notice), validUntil: list.validUntil };
    });
    return sendJson(reply, 200, body);
  });
  reads.add('/operator/live', meter, (caller, url) => lists.findCurrent(caller, url));

  async function loadPage(request: FastifyRequest, liveRequest: LiveRequest, paging: Paging | undefined) {
    const found = await live.list(request.caller.accountId, liveRequest, paging && toWindow(paging));
    const pagination = { ...(paging ?? { page: 1, limit: Math.max(1, found.count) }), count: found.count };
    return { found, pagination, notice: found.omittedCount === 0 ? undefined : buildNotice(found.omittedCount) };
  }

  /** Streams the list if it is long: it includes every operator who ever logged in. */
  async function sendWithOffline(request: FastifyRequest, reply: FastifyReply, liveRequest: LiveRequest, query: Query) {
    const paging = readPaging(query);
    const { found, pagination, notice } = await loadPage(request, liveRequest, paging);
    const selection = readSingleSelection(query);
    const render = (batch: readonly LiveStamp[]) => renderer.render(request.caller.accountId, batch, selection);
    const chunks = streamList(render, found.batches, pagination, notice);
    if (!paging && found.count > MAX_BUFFERED_ROWS) {
      return reply.code(200).header('content-type', 'application/json; charset=utf-8').send(Readable.from(chunks));
    }
    let body = '';
    for await (const chunk of chunks) body += chunk;
    return sendJson(reply, 200, body);
  }

  app.get('/operator/:id/live', async (request, reply) => {
    const id = readPathId(request, 'operator');
    const stamp = await live.loadStamp(request.caller.accountId, id);
    const [text] = stamp
      ? await renderer.render(request.caller.accountId, [stamp], readSingleSelection(readQuery(request)))
      : [];
    if (text === undefined) throw unknownId('operator', id);
    return sendJson(reply, 200, renderSingle(text));
  });

  app.put('/operator/:id/live', (request, reply) => {
    let messages: string[] = [];
    return writes.run<Operator>(request, reply, {
      perform: async (commit) => {
        const id = readPathId(request, 'operator');
        const input = readInput(liveUpdate, readBody(request));
        messages = buildMessages(input);
        return live.update(commit, request.caller, id, input);
      },
      toResponse: () => ({ status: 200, body: renderSuccess(messages.join(' ')) }),
    });
  });
}

/** `connected` is also accepted as `filters[connected]`. */
function readLiveRequest(query: Query): LiveRequest {
  const { connected: connectedFilter, ...rest } = (typeof query.filters === 'object' ? query.filters : {}) as Record<
    string,
    unknown
  >;
  const filters = readFilters({ filters: typeof query.filters === 'object' ? rest : query.filters }, OPERATOR_FILTERS);
  const [path, value] =
    query.connected === undefined ? [['filters', 'connected'], connectedFilter] : [['connected'], query.connected];
  if (value !== undefined && value !== '0' && value !== '1') {
    throw invalidField(path, 'must be 0 (include offline operators) or 1');
  }
  return { filters, includeOffline: value === '0' };
}

function buildNotice(omittedCount: number): string {
  const subject =
    omittedCount === 1
      ? '1 operator who holds skills or belongs to a group is'
      : `${omittedCount} operators who hold skills or belong to a group are`;
  return `${subject} left out: include them with filters[skill_id] or filters[group_id] (* means all), or filter by id, email, external_id or name.`;
}

function buildMessages(input: LiveUpdate): string[] {
  const messages = CHANNELS.filter((channel) => input[channel]).map(
    (channel) => `Operator is now ${input[channel]?.available ? 'available' : 'unavailable'} for ${channel} channel.`,
  );
  return input.connected === false ? [...messages, 'Operator is now offline.'] : messages;
}

async function* streamList(
  render: (batch: readonly LiveStamp[]) => Promise<string[]>,
  batches: AsyncIterable<readonly LiveStamp[]>,
  pagination: Pagination,
  notice: string | undefined,
): AsyncIterable<string> {
  let separator = renderListStart(notice);
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield separator + (await render(batch)).join(',');
    separator = ',';
  }
  yield separator === ',' ? renderListEnd(pagination) : separator + renderListEnd(pagination);
}
