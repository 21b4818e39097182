import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { logIn } from '../clients/graphql.ts';
import { WRITE_KEY } from '../processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';

export interface WriterOptions {
  /** Number of clients that repeatedly change their own operator and read it back. */
  readonly writers: number;
  /** Number of clients that only create skills, to detect duplicates. */
  readonly creators: number;
  /** Whether skills are created with an idempotency key, so that a load balancer can retry. */
  readonly usesIdempotencyKeys: boolean;
  /** Whether clients retry after 503, as on a busy machine; otherwise a 503 is a failure. */
  readonly retriesUnavailable: boolean;
}

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

interface Reply {
  readonly status: number;
  /** Undefined if it is not JSON, as in a load balancer's own responses. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly body: any;
}

const RETRY_INTERVAL_MS = 200;
/** Retrying clients leave CPU time to starting nodes. */
const YIELD_MS = 20;

/** The last acknowledged values of a writer's operator. */
interface WriterState {
  readonly operatorId: number;
  pseudo: string;
  maximum: number;
  available: boolean;
}

/** Integrations that write continuously, read their writes back, and must never see a failure. */
export class SteadyWriters {
  readonly #url: string;
  readonly #token: string;
  readonly #options: WriterOptions;
  readonly #writers: WriterState[] = [];
  /** Acknowledged skills: name to id. */
  readonly #createdSkills = new Map<string, number>();
  /** Names of skills whose creation has an unknown outcome and cannot be retried. */
  readonly #unconfirmedSkills = new Set<string>();
  readonly #pendingChecks = new Set<() => void>();
  readonly failures: string[] = [];
  readonly staleReads: string[] = [];
  requests = 0;
  /** Number of retries after 503. */
  retries = 0;
  slowestMs = 0;
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  static async start(url: string, options: WriterOptions): Promise<SteadyWriters> {
    const writers = new SteadyWriters(url, await logIn(url), options);
    writers.#running = Promise.all([
      ...Array.from({ length: options.writers }, (_, index) => writers.#write(index)),
      ...Array.from({ length: options.creators }, (_, index) => writers.#createSkills(index)),
    ]);
    return writers;
  }

  constructor(url: string, token: string, options: WriterOptions) {
    this.#url = url;
    this.#token = token;
    this.#options = options;
  }

  /** Resolves after `requests` more requests have finished. */
  async waitForRequests(requests: number): Promise<void> {
    const goal = this.requests + requests;
    await new Promise<void>((resolve) => {
      const resolveIfReached = () => {
        if (this.requests < goal) return;
        this.#pendingChecks.delete(resolveIfReached);
        resolve();
      };
      this.#pendingChecks.add(resolveIfReached);
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Acknowledged writes that are missing, different or duplicated. */
  async findLostWrites(): Promise<string[]> {
    const problems: string[] = [];
    for (const { operatorId, ...expected } of this.#writers) {
      const { body } = await this.#sendWithRetries({ path: `/operator/${operatorId}` });
      const live = (await this.#sendWithRetries({ path: `/operator/${operatorId}/live` })).body.data;
      const found = { pseudo: body.data.pseudo, maximum: body.data.chat_max_number, available: live.chat.available };
      for (const name of ['pseudo', 'maximum', 'available'] as const) {
        if (String(found[name]) !== String(expected[name]))
          problems.push(`operator ${operatorId}: ${name} is ${found[name]}, but was acknowledged as ${expected[name]}`);
      }
    }
    const skills = Map.groupBy(await this.#listSkills(), ({ name }) => name);
    for (const [name, id] of this.#createdSkills) {
      const found = (skills.get(name) ?? []).map((skill) => skill.id);
      if (found.length !== 1 || found[0] !== id) problems.push(`${name} was created with id ${id}, found [${found}]`);
    }
    const isKnown = (name: string) => this.#createdSkills.has(name) || this.#unconfirmedSkills.has(name);
    const unknown = [...skills.keys()].filter((name) => name.startsWith('created ') && !isKnown(name));
    const duplicates = [...this.#unconfirmedSkills].filter((name) => (skills.get(name) ?? []).length > 1);
    problems.push(...duplicates.map((name) => `${name} exists more than once`));
    return [...problems, ...unknown.map((name) => `${name} exists without an acknowledgement`)];
  }

  async #write(writer: number): Promise<void> {
    const state = await this.#createOperator(writer);
    if (!state) return;
    const path = `/operator/${state.operatorId}`;
    for (let round = 1; !this.#stopped; round += 1) {
      const pseudo = `round ${round}`;
      const maximum = 1 + (round % 5);
      if (await this.#sendRequest({ method: 'PUT', path, body: { pseudo, chat_max_number: maximum } }))
        Object.assign(state, { pseudo, maximum });
      const available = round % 2 === 0;
      const availability = { chat: { available: Number(available) } };
      if (await this.#sendRequest({ method: 'PUT', path: `${path}/live`, body: availability }))
        state.available = available;
      await this.#checkReads(state);
    }
  }

  async #createSkills(creator: number): Promise<void> {
    for (let round = 1; !this.#stopped; round += 1) {
      await this.#createSkill(`created ${creator} ${round}`);
      await this.#createSkillByGraphql(`created ${creator} ${round} by GraphQL`);
    }
  }

  async #createOperator(writer: number): Promise<WriterState | undefined> {
    const body = { name: `Writer ${writer}`, email: `writer${writer}-${randomUUID()}@example.com`, pseudo: 'new' };
    const result = await this.#sendRequest({
      method: 'POST',
      path: '/operator',
      body,
      headers: this.#idempotencyHeaders(),
    });
    if (!result) return undefined;
    const { id, chat_max_number } = result.data;
    const state = { operatorId: id, pseudo: 'new', maximum: chat_max_number, available: false };
    this.#writers.push(state);
    return state;
  }

  async #createSkill(name: string): Promise<void> {
    const result = await this.#sendRequest(
      { method: 'POST', path: '/skill', body: { name }, headers: this.#idempotencyHeaders() },
      name,
    );
    if (result) this.#createdSkills.set(name, result.data.id);
  }

  #idempotencyHeaders(): Record<string, string> {
    return this.#options.usesIdempotencyKeys ? { 'Idempotency-Key': randomUUID() } : {};
  }

  /** Every node must show acknowledged writes. */
  async #checkReads({ operatorId, pseudo, available }: WriterState): Promise<void> {
    const operator = await this.#sendRequest({ path: `/operator/${operatorId}` });
    if (operator && operator.data.pseudo !== pseudo)
      this.staleReads.push(`operator ${operatorId}: ${operator.data.pseudo} after ${pseudo}`);
    const live = await this.#sendRequest({ path: `/operator/${operatorId}/live` });
    if (live && Boolean(live.data.chat.available) !== available)
      this.staleReads.push(`operator ${operatorId}: available is ${live.data.chat.available} after ${available}`);
  }

  async #createSkillByGraphql(name: string): Promise<void> {
    const query = 'mutation($input:SkillCreateInput!){skillCreate(input:$input){skill{id}}}';
    const body = { query, variables: { input: { name } } };
    const result = await this.#sendRequest(
      { method: 'POST', path: '/graphql', body, headers: this.#idempotencyHeaders() },
      name,
    );
    if (result) this.#createdSkills.set(name, Number(result.data.skillCreate.skill.id));
  }

  /**
   * Anything but success is a failure. `name` is the skill that a request would create; without a key it is not
   * retried.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  async #sendRequest(request: Request, name?: string): Promise<any | undefined> {
    const { method = 'GET', path } = request;
    const isUnkeyed = name !== undefined && !this.#options.usesIdempotencyKeys;
    const sentAt = performance.now();
    try {
      const { status, body } = await this.#sendWithRetries(request, isUnkeyed);
      if (status >= 200 && status < 300 && !body?.errors) return body;
      if (this.#options.retriesUnavailable && isUnkeyed && isOutcomeUnknown({ status, body }))
        this.#unconfirmedSkills.add(name);
      else this.failures.push(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    } catch (error) {
      const { message, cause } = error as Error & { cause?: Error };
      this.failures.push(`${method} ${path}: ${message} ${cause?.message ?? ''}`);
    } finally {
      this.requests += 1;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - sentAt);
      for (const check of this.#pendingChecks) check();
      if (this.#options.retriesUnavailable) await setTimeout(YIELD_MS);
    }
    return undefined;
  }

  /** Retries after 503 if configured, and without a key only if the request was certainly not executed. */
  async #sendWithRetries(request: Request, isUnkeyed = false): Promise<Reply> {
    for (const end = performance.now() + WAIT_TIMEOUT_MS; ; this.retries += 1) {
      const reply = await this.#send(request);
      const shouldRetry =
        this.#options.retriesUnavailable && reply.status === 503 && !(isUnkeyed && isOutcomeUnknown(reply));
      if (!shouldRetry || performance.now() > end) return reply;
      await setTimeout(RETRY_INTERVAL_MS);
    }
  }

  async #send({ method = 'GET', path, body, headers }: Request): Promise<Reply> {
    const access = path === '/graphql' ? { Authorization: `Bearer ${this.#token}` } : { 'X-API-Key': WRITE_KEY };
    const response = await fetch(`${this.#url}${path === '/graphql' ? '' : '/api/2'}${path}`, {
      method,
      headers: { ...access, ...(body && { 'Content-Type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : undefined };
  }

  async #listSkills(): Promise<{ id: number; name: string }[]> {
    const all: { id: number; name: string }[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await this.#sendWithRetries({ path: `/skill?full=1&limit=100&page=${page}` });
      pages = body.pagination.pages;
      all.push(...body.data);
    }
    return all;
  }
}

/** The service lost its database during the change. */
function isOutcomeUnknown({ status, body }: Reply): boolean {
  return status === 503 && JSON.stringify(body ?? '').includes('not known');
}
