import { randomUUID } from 'node:crypto';
import { type GraphqlClient, graphqlClient, logIn } from './graphql.ts';
import { type RestClient, restClient } from './rest.ts';
import { WRITE_KEY } from './switchboard.ts';

export interface WriterOptions {
  /** Those who change something of their own again and again, and look at it. */
  readonly writers: number;
  /** Those who only make things: a second one of the same would be seen. */
  readonly makers: number;
  /** Whether what is made is sent with a key, so that a load balancer may repeat it. */
  readonly keyed: boolean;
}

/** What a writer was told, the newest last. */
interface Written {
  readonly operatorId: number;
  pseudo: string;
  maximum: number;
  available: boolean;
}

/** Integrations that write all the time, look at what they wrote, and never may see a failure. */
export class SteadyWriters {
  readonly #rest: RestClient;
  readonly #graphql: GraphqlClient;
  readonly #options: WriterOptions;
  readonly #written: Written[] = [];
  /** Names of skills with the id under which each was acknowledged. */
  readonly #made = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  readonly failures: string[] = [];
  readonly staleReads: string[] = [];
  requests = 0;
  slowestMs = 0;
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  static async start(url: string, options: WriterOptions): Promise<SteadyWriters> {
    const writers = new SteadyWriters(restClient(url, WRITE_KEY), graphqlClient(url, await logIn(url)), options);
    writers.#running = Promise.all([
      ...Array.from({ length: options.writers }, (_, index) => writers.#write(index)),
      ...Array.from({ length: options.makers }, (_, index) => writers.#makeAll(index)),
    ]);
    return writers;
  }

  constructor(rest: RestClient, graphql: GraphqlClient, options: WriterOptions) {
    this.#rest = rest;
    this.#graphql = graphql;
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
      const { body } = await this.#rest.get(`/operator/${operatorId}`);
      const live = (await this.#rest.get(`/operator/${operatorId}/live`)).body.data;
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
    const more = [...skills.keys()].filter((name) => name.startsWith('made ') && !this.#made.has(name));
    return [...problems, ...more.map((name) => `${name} is there, and nobody was told so`)];
  }

  async #write(writer: number): Promise<void> {
    const written = await this.#begin(writer);
    if (!written) return;
    const path = `/operator/${written.operatorId}`;
    for (let round = 1; !this.#stopped; round += 1) {
      const pseudo = `round ${round}`;
      const maximum = 1 + (round % 5);
      if (await this.#ask('PUT operator', () => this.#rest.put(path, { pseudo, chat_max_number: maximum })))
        Object.assign(written, { pseudo, maximum });
      const available = round % 2 === 0;
      const wish = `chat[available]=${Number(available)}`;
      if (await this.#ask('PUT live', () => this.#rest.put(`${path}/live`, wish))) written.available = available;
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
    const answer = await this.#ask('POST operator', () => this.#rest.post('/operator', body, this.#key()));
    if (!answer) return undefined;
    const { id, chat_max_number } = answer.data;
    const written = { operatorId: id, pseudo: 'new', maximum: chat_max_number, available: false };
    this.#written.push(written);
    return written;
  }

  async #make(name: string): Promise<void> {
    const key = this.#key();
    const answer = await this.#ask('POST skill', () => this.#rest.post('/skill', { name }, key));
    if (answer) this.#made.set(name, answer.data.id);
  }

  #key(): Record<string, string> {
    return this.#options.keyed ? { 'Idempotency-Key': randomUUID() } : {};
  }

  /** Through whichever node: what was acknowledged must be seen. */
  async #look({ operatorId, pseudo, available }: Written): Promise<void> {
    const shown = await this.#ask('GET operator', () => this.#rest.get(`/operator/${operatorId}`));
    if (shown && shown.data.pseudo !== pseudo)
      this.staleReads.push(`operator ${operatorId}: ${shown.data.pseudo} after ${pseudo}`);
    const live = await this.#ask('GET live', () => this.#rest.get(`/operator/${operatorId}/live`));
    if (live && Boolean(live.data.chat.available) !== available)
      this.staleReads.push(`operator ${operatorId}: available is ${live.data.chat.available} after ${available}`);
  }

  async #makeByGraphql(name: string): Promise<void> {
    const document = 'mutation($input:SkillCreateInput!){skillCreate(input:$input){skill{id}}}';
    const headers = this.#key();
    const answer = await this.#ask('GraphQL', async () => {
      const { status, data, errors } = await this.#graphql.run(document, { input: { name } }, headers);
      return { status: errors.length > 0 ? 500 : status, body: { data, errors } };
    });
    if (answer) this.#made.set(name, Number(answer.data.skillCreate.skill.id));
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  async #ask(what: string, send: () => Promise<{ status: number; body: any }>): Promise<any | undefined> {
    const askedAt = performance.now();
    try {
      const { status, body } = await send();
      if (status >= 200 && status < 300) return body;
      this.failures.push(`${what}: ${status} ${JSON.stringify(body)}`);
    } catch (error) {
      const { message, cause } = error as Error & { cause?: Error };
      this.failures.push(`${what}: ${message} ${cause?.message ?? ''}`);
    } finally {
      this.requests += 1;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - askedAt);
      for (const look of this.#waiting) look();
    }
    return undefined;
  }

  async #skills(): Promise<{ id: number; name: string }[]> {
    const all: { id: number; name: string }[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await this.#rest.get(`/skill?full=1&limit=100&page=${page}`);
      pages = body.pagination.pages;
      all.push(...body.data);
    }
    return all;
  }
}
