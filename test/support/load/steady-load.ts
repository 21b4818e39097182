import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Nodes, PASSWORD, type Staff } from '../nodes/nodes.ts';
import { until } from '../waiting/until.ts';
import { type Answer, Journal } from './asking.ts';

/** What the clients know that was done, and what they cannot know. */
export interface Ledger {
  /** The last value of each operator that was acknowledged, and those sent since. */
  readonly registers: Map<number, { acknowledged: string; unclear: Set<string> }>;
  /** Names of skills: acknowledged, or given up without a clear answer. */
  readonly skills: { readonly acknowledged: string[]; readonly unclear: string[] };
  /** Own names of messages, by conversation, in the order of their acknowledgement. */
  readonly messages: Map<number, string[]>;
  /** What a read showed that cannot be. */
  readonly wrongReads: string[];
}

export interface SteadyLoad {
  readonly journal: Journal;
  readonly ledger: Ledger;
  /** Answers when each client has finished so many more rounds, each to its success. */
  rounds(count: number): Promise<void>;
  /** Answers when each client has been told since a moment that the service is unavailable. */
  allRefusedSince(moment: number): Promise<void>;
  /** Each client finishes what it has begun. */
  stop(): Promise<void>;
}

const PAUSE_MS = 120;
/** Of requests that every client sends whether or not the one before succeeded. */
const KINDS = ['REST write', 'REST read', 'REST slow read', 'GraphQL write', 'login', 'visitor session'];
const JSON_BODY = { 'Content-Type': 'application/json' };

/** For each node one client of each kind, who sends the next request when the last one is answered. */
export function startLoad(nodes: Nodes, staff: Staff, conversations: readonly VisitorTalk[]): SteadyLoad {
  const load = new Load(nodes, staff);
  const running = nodes.urls.flatMap((_, node) => [
    load.keep(() => load.register(node)),
    load.keep(() => load.skill(node)),
    load.keep(() => load.farPage(node), 300),
    load.keep(() => load.login(node), 600),
    load.keep(() => load.session(node), 300),
    ...conversations.slice(node, node + 1).map((talk) => load.keep(() => load.say(node, talk))),
  ]);
  return {
    journal: load.journal,
    ledger: load.ledger,
    rounds: async (count) => {
      const goals = load.finished.map((finished) => finished + count);
      await until(`${count} rounds of each client`, () =>
        goals.every((goal, client) => (load.finished[client] ?? 0) >= goal),
      );
    },
    allRefusedSince: async (moment) => {
      const kinds = conversations.length > 0 ? [...KINDS, 'visitor message'] : KINDS;
      await until('every client was refused', () => {
        const refused = load.journal.asked.filter(
          ({ sentAt, outcome }) => sentAt >= moment && outcome === 'unavailable',
        );
        return kinds.every((kind) => refused.some((each) => each.kind === kind));
      });
    },
    stop: async () => {
      load.stopped = true;
      await Promise.all(running);
    },
  };
}

/** A conversation of a visitor. */
export interface VisitorTalk {
  readonly id: number;
  readonly token: string;
}

class Load {
  readonly journal = new Journal();
  readonly ledger: Ledger = {
    registers: new Map(),
    skills: { acknowledged: [], unclear: [] },
    messages: new Map(),
    wrongReads: [],
  };
  stopped = false;
  /** How many rounds each client has finished. */
  readonly finished: number[] = [];
  readonly #nodes: Nodes;
  readonly #staff: Staff;
  /** Keys and names are never used again, also by the load of the next test. */
  readonly #name = randomBytes(3).toString('hex');
  #number = 0;

  constructor(nodes: Nodes, staff: Staff) {
    this.#nodes = nodes;
    this.#staff = staff;
  }

  /** A round says whether the service was there for it. */
  async keep(round: () => Promise<boolean>, pause = PAUSE_MS): Promise<void> {
    const client = this.finished.push(0) - 1;
    while (!this.stopped) {
      if (await round()) this.finished[client] = (this.finished[client] ?? 0) + 1;
      await setTimeout(pause);
    }
  }

  /** Writes a value through one node and reads it through another: never an older one than was acknowledged. */
  async register(node: number): Promise<boolean> {
    const { id } = this.#staff.operators[node] as Staff['operators'][number];
    const value = `v${this.#name}-${this.#next()}`;
    const known = this.ledger.registers.get(id) ?? { acknowledged: `Operator ${node}`, unclear: new Set<string>() };
    this.ledger.registers.set(id, known);
    known.unclear.add(value);
    const init = { ...this.#rest('PUT'), body: JSON.stringify({ pseudo: value }) };
    const written = await this.#ask('REST write', node, `/api/2/operator/${id}`, keyed(init, value));
    if (written.outcome === 'done') {
      known.acknowledged = value;
      known.unclear.clear();
    }
    const read = await this.#ask('REST read', node + 1, `/api/2/operator/${id}`, this.#rest('GET'));
    if (read.outcome !== 'done') return false;
    const { pseudo } = read.body.data;
    if (pseudo !== known.acknowledged && !known.unclear.has(pseudo)) {
      this.ledger.wrongReads.push(`REST: operator ${id} is ${pseudo}, acknowledged was ${known.acknowledged}`);
    }
    return written.outcome === 'done';
  }

  /** A page so far into a list that it is read apart from everything else. */
  async farPage(node: number): Promise<boolean> {
    const page = await this.#ask('REST slow read', node, '/api/2/operator?page=200&limit=10', this.#rest('GET'));
    return page.outcome !== 'unavailable';
  }

  /** Makes something that bears its own name, and sends it again under the same key until the answer is clear. */
  async skill(node: number): Promise<boolean> {
    const name = `skill-${this.#name}-${this.#next()}`;
    const { skills } = this.ledger;
    skills.unclear.push(name);
    const query = `mutation{skillCreate(input:{name:"${name}"}){skill{id} userErrors{message}}}`;
    for (let tries = 0; !this.stopped; tries += 1) {
      const made = await this.#graphql('GraphQL write', node + tries, query, { 'Idempotency-Key': name });
      if (made.outcome === 'done') {
        const id = made.body.data.skillCreate.skill?.id;
        if (id === undefined) this.ledger.wrongReads.push(`GraphQL: ${JSON.stringify(made.body)}`);
        skills.unclear.splice(skills.unclear.indexOf(name), 1);
        skills.acknowledged.push(name);
        const read = await this.#graphql('GraphQL read', node + tries + 1, `{skill(id:${id}){name}}`);
        if (read.outcome === 'done' && read.body.data.skill?.name !== name)
          this.ledger.wrongReads.push(`GraphQL: skill ${id} is ${JSON.stringify(read.body.data.skill)}`);
        return true;
      }
      await setTimeout(PAUSE_MS);
    }
    return false;
  }

  /** Of a new person each time, from an address of its own: the limits are not what is looked at here. */
  async login(node: number): Promise<boolean> {
    const number = this.#next();
    const { email } = this.#staff.operators[number % this.#staff.operators.length] as Staff['operators'][number];
    const given =
      number % 2 === 0 ? { email, password: PASSWORD } : { email: `nobody${number}@example.com`, password: '?' };
    const answer = await this.#ask('login', node, '/oauth2/token', {
      method: 'POST',
      headers: { 'X-Forwarded-For': `10.0.${(number >> 8) & 255}.${number & 255}` },
      body: new URLSearchParams({ grant_type: 'password', username: given.email, password: given.password }),
    });
    return answer.outcome !== 'unavailable';
  }

  async session(node: number): Promise<boolean> {
    const body = JSON.stringify({ websiteId: this.#staff.website });
    const init = { method: 'POST', headers: JSON_BODY, body };
    return (await this.#ask('visitor session', node, '/visitor/session', init)).outcome !== 'unavailable';
  }

  /** A message in a conversation, sent under the same name until it is acknowledged. */
  async say(node: number, { id, token }: VisitorTalk): Promise<boolean> {
    const clientId = `m${this.#name}-${this.#next()}`;
    const query = `mutation{messageSend(input:{conversationId:${id} clientId:"${clientId}" text:"${clientId}"}){message{sequence} userErrors{message}}}`;
    const init = {
      method: 'POST',
      headers: { ...JSON_BODY, Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    };
    for (let tries = 0; !this.stopped; tries += 1) {
      const sent = await this.#ask('visitor message', node + tries, '/visitor/graphql', init);
      if (sent.outcome === 'done') {
        if (!sent.body.data.messageSend.message) this.ledger.wrongReads.push(`message: ${JSON.stringify(sent.body)}`);
        this.ledger.messages.set(id, [...(this.ledger.messages.get(id) ?? []), clientId]);
        return true;
      }
      await setTimeout(PAUSE_MS);
    }
    return false;
  }

  #graphql(kind: string, node: number, query: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#ask(kind, node, '/graphql', {
      method: 'POST',
      headers: { ...JSON_BODY, Authorization: `Bearer ${this.#nodes.token}`, ...headers },
      body: JSON.stringify({ query }),
    });
  }

  #rest(method: string): RequestInit & { headers: Record<string, string> } {
    return { method, headers: { 'X-API-Key': this.#nodes.all[0]?.key ?? '', ...JSON_BODY } };
  }

  #ask(kind: string, node: number, path: string, init: RequestInit): Promise<Answer> {
    const index = node % this.#nodes.urls.length;
    return this.journal.ask(kind, index, `${this.#nodes.urls[index]}${path}`, init);
  }

  #next(): number {
    this.#number += 1;
    return this.#number;
  }
}

function keyed(init: RequestInit & { headers: Record<string, string> }, key: string): RequestInit {
  return { ...init, headers: { ...init.headers, 'Idempotency-Key': key } };
}
