import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { logIn } from '../clients/graphql.ts';
import { WRITE_KEY } from '../processes/switchboard.ts';
import { PATIENCE_MS } from '../waiting/until.ts';

export interface WriterOptions {
  /** Those who change something of their own again and again, and look at it. */
  readonly writers: number;
  /** Those who only make things: a second one of the same would be seen. */
  readonly makers: number;
  /** Whether what is made is sent with a key, so that a load balancer may repeat it. */
  readonly keyed: boolean;
  /** Whether they ask again after 503, as a database without processor brings it; otherwise that is a failure too. */
  readonly patient: boolean;
}

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

interface Reply {
  readonly status: number;
  /** Undefined where it is no JSON, as what load balancers say themselves. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  readonly body: any;
}

const PAUSE_MS = 200;
/** The patient leave the processor to nodes that start. */
const BREATH_MS = 20;

/** What a writer was told, the newest last. */
interface Written {
  readonly operatorId: number;
  pseudo: string;
  maximum: number;
  available: boolean;
}

/** Integrations that write all the time, look at what they wrote, and never may see a failure. */
export class SteadyWriters {
  readonly #url: string;
  readonly #token: string;
  readonly #options: WriterOptions;
  readonly #written: Written[] = [];
  /** Names of skills with the id under which each was acknowledged. */
  readonly #made = new Map<string, number>();
  /** Names of skills whose answer says that the outcome is not known, and that cannot be sent again. */
  readonly #unclear = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly failures: string[] = [];
  readonly staleReads: string[] = [];
  requests = 0;
  /** How often something was asked again after 503. */
  repeated = 0;
  slowestMs = 0;
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  static async start(url: string, options: WriterOptions): Promise<SteadyWriters> {
    const writers = new SteadyWriters(url, await logIn(url), options);
    writers.#running = Promise.all([
      ...Array.from({ length: options.writers }, (_, index) => writers.#write(index)),
      ...Array.from({ length: options.makers }, (_, index) => writers.#makeAll(index)),
    ]);
    return writers;
  }

  constructor(url: string, token: string, options: WriterOptions) {
    this.#url = url;
    this.#token = token;
    this.#options = options;
  }

  /** Answers when so many more requests have ended. */
  async after(requests: number): Promise<void> {
    const goal = this.requests + requests;
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.requests < goal) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** What was acknowledged and is not there, or is there in another way, or more than once. */
  async lost(): Promise<string[]> {
    const problems: string[] = [];
    for (const { operatorId, ...expected } of this.#written) {
      const { body } = await this.#patiently({ path: `/operator/${operatorId}` });
      const live = (await this.#patiently({ path: `/operator/${operatorId}/live` })).body.data;
      const found = { pseudo: body.data.pseudo, maximum: body.data.chat_max_number, available: live.chat.available };
      for (const name of ['pseudo', 'maximum', 'available'] as const) {
        if (String(found[name]) !== String(expected[name]))
          problems.push(`operator ${operatorId}: ${name} is ${found[name]}, acknowledged was ${expected[name]}`);
      }
    }
    const skills = Map.groupBy(await this.#skills(), ({ name }) => name);
    for (const [name, id] of this.#made) {
      const found = (skills.get(name) ?? []).map((skill) => skill.id);
      if (found.length !== 1 || found[0] !== id) problems.push(`${name} was made as ${id}, and is there as [${found}]`);
    }
    const known = (name: string) => this.#made.has(name) || this.#unclear.has(name);
    const more = [...skills.keys()].filter((name) => name.startsWith('made ') && !known(name));
    const twice = [...this.#unclear].filter((name) => (skills.get(name) ?? []).length > 1);
    problems.push(...twice.map((name) => `${name} is there more than once`));
    return [...problems, ...more.map((name) => `${name} is there, and nobody was told so`)];
  }

  async #write(writer: number): Promise<void> {
    const written = await this.#begin(writer);
    if (!written) return;
    const path = `/operator/${written.operatorId}`;
    for (let round = 1; !this.#stopped; round += 1) {
      const pseudo = `round ${round}`;
      const maximum = 1 + (round % 5);
      if (await this.#ask({ method: 'PUT', path, body: { pseudo, chat_max_number: maximum } }))
        Object.assign(written, { pseudo, maximum });
      const available = round % 2 === 0;
      const wish = { chat: { available: Number(available) } };
      if (await this.#ask({ method: 'PUT', path: `${path}/live`, body: wish })) written.available = available;
      await this.#look(written);
    }
  }

  async #makeAll(maker: number): Promise<void> {
    for (let round = 1; !this.#stopped; round += 1) {
      await this.#make(`made ${maker} ${round}`);
      await this.#makeByGraphql(`made ${maker} ${round} by GraphQL`);
    }
  }

  async #begin(writer: number): Promise<Written | undefined> {
    const body = { name: `Writer ${writer}`, email: `writer${writer}-${randomUUID()}@example.com`, pseudo: 'new' };
    const answer = await this.#ask({ method: 'POST', path: '/operator', body, headers: this.#key() });
    if (!answer) return undefined;
    const { id, chat_max_number } = answer.data;
    const written = { operatorId: id, pseudo: 'new', maximum: chat_max_number, available: false };
    this.#written.push(written);
    return written;
  }

  async #make(name: string): Promise<void> {
    const answer = await this.#ask({ method: 'POST', path: '/skill', body: { name }, headers: this.#key() }, name);
    if (answer) this.#made.set(name, answer.data.id);
  }

  #key(): Record<string, string> {
    return this.#options.keyed ? { 'Idempotency-Key': randomUUID() } : {};
  }

  /** Through whichever node: what was acknowledged must be seen. */
  async #look({ operatorId, pseudo, available }: Written): Promise<void> {
    const shown = await this.#ask({ path: `/operator/${operatorId}` });
    if (shown && shown.data.pseudo !== pseudo)
      this.staleReads.push(`operator ${operatorId}: ${shown.data.pseudo} after ${pseudo}`);
    const live = await this.#ask({ path: `/operator/${operatorId}/live` });
    if (live && Boolean(live.data.chat.available) !== available)
      this.staleReads.push(`operator ${operatorId}: available is ${live.data.chat.available} after ${available}`);
  }

  async #makeByGraphql(name: string): Promise<void> {
    const query = 'mutation($input:SkillCreateInput!){skillCreate(input:$input){skill{id}}}';
    const body = { query, variables: { input: { name } } };
    const answer = await this.#ask({ method: 'POST', path: '/graphql', body, headers: this.#key() }, name);
    if (answer) this.#made.set(name, Number(answer.data.skillCreate.skill.id));
  }

  /** Whatever does not succeed is a failure. `name` is what a plain request would make, which cannot be sent again. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  async #ask(request: Request, name?: string): Promise<any | undefined> {
    const { method = 'GET', path } = request;
    const isPlain = name !== undefined && !this.#options.keyed;
    const askedAt = performance.now();
    try {
      const { status, body } = await this.#patiently(request, isPlain);
      if (status >= 200 && status < 300 && !body?.errors) return body;
      if (this.#options.patient && isPlain && isUnknown({ status, body })) this.#unclear.add(name);
      else this.failures.push(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    } catch (error) {
      const { message, cause } = error as Error & { cause?: Error };
      this.failures.push(`${method} ${path}: ${message} ${cause?.message ?? ''}`);
    } finally {
      this.requests += 1;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - askedAt);
      for (const look of this.#waiting) look();
      if (this.#options.patient) await setTimeout(BREATH_MS);
    }
    return undefined;
  }

  /** Sends it again after 503 where that is wanted, and where a plain request has surely not been carried out. */
  async #patiently(request: Request, isPlain = false): Promise<Reply> {
    for (const end = performance.now() + PATIENCE_MS; ; this.repeated += 1) {
      const reply = await this.#send(request);
      const mayPass = this.#options.patient && reply.status === 503 && !(isPlain && isUnknown(reply));
      if (!mayPass || performance.now() > end) return reply;
      await setTimeout(PAUSE_MS);
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

  async #skills(): Promise<{ id: number; name: string }[]> {
    const all: { id: number; name: string }[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await this.#patiently({ path: `/skill?full=1&limit=100&page=${page}` });
      pages = body.pagination.pages;
      all.push(...body.data);
    }
    return all;
  }
}

/** The service lost its database in the middle of the change. */
function isUnknown({ status, body }: Reply): boolean {
  return status === 503 && JSON.stringify(body ?? '').includes('not known');
}
