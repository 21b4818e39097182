import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Nodes, PASSWORD, type Staff } from '../nodes/nodes.ts';
import { waitUntil } from '../waiting/wait.ts';
import { type RecordedResponse, RequestJournal } from './request-journal.ts';

/** The writes that clients know to be done, and those with an unknown outcome. */
export interface Ledger {
  /** By operator: the last acknowledged value, and the values sent since. */
  readonly pseudos: Map<number, { acknowledged: string; unconfirmed: Set<string> }>;
  /** Names of skills: acknowledged, or abandoned with an unknown outcome. */
  readonly skills: { readonly acknowledged: string[]; readonly unconfirmed: string[] };
  /** Client ids of messages by conversation, in the order of acknowledgement. */
  readonly messages: Map<number, string[]>;
  /** Reads that returned an impossible value. */
  readonly wrongReads: string[];
}

export interface SteadyLoad {
  readonly journal: RequestJournal;
  readonly ledger: Ledger;
  /** Resolves after each client has completed `count` more successful rounds. */
  waitForRounds(count: number): Promise<void>;
  /** Resolves once each kind of request has got a 503 after a moment. */
  waitUntilAllUnavailableSince(moment: number): Promise<void>;
  /** Each client finishes its current round. */
  stop(): Promise<void>;
}

const PAUSE_MS = 120;
/** Requests that every client sends even if the previous one failed. */
const KINDS = ['REST write', 'REST read', 'REST slow read', 'GraphQL write', 'login', 'visitor session'];
const JSON_BODY = { 'Content-Type': 'application/json' };

/** For each node one client of each kind, which sends its next request after the last response. */
export function startSteadyLoad(nodes: Nodes, staff: Staff, conversations: readonly VisitorConversation[]): SteadyLoad {
  const load = new Load(nodes, staff);
  const running = nodes.urls.flatMap((_, node) => [
    load.runRounds(() => load.writeAndReadPseudo(node)),
    load.runRounds(() => load.createSkill(node)),
    load.runRounds(() => load.readFarPage(node), 300),
    load.runRounds(() => load.logIn(node), 600),
    load.runRounds(() => load.openSession(node), 300),
    ...conversations
      .slice(node, node + 1)
      .map((conversation) => load.runRounds(() => load.sendMessage(node, conversation))),
  ]);
  return {
    journal: load.journal,
    ledger: load.ledger,
    waitForRounds: async (count) => {
      const goals = load.finishedRounds.map((rounds) => rounds + count);
      await waitUntil(`${count} rounds of each client`, () =>
        goals.every((goal, client) => (load.finishedRounds[client] ?? 0) >= goal),
      );
    },
    waitUntilAllUnavailableSince: async (moment) => {
      const kinds = conversations.length > 0 ? [...KINDS, 'visitor message'] : KINDS;
      await waitUntil('every kind of request got 503', () => {
        const unavailable = load.journal.records.filter(
          ({ sentAt, outcome }) => sentAt >= moment && outcome === 'unavailable',
        );
        return kinds.every((kind) => unavailable.some((record) => record.kind === kind));
      });
    },
    stop: async () => {
      load.isStopped = true;
      await Promise.all(running);
    },
  };
}

export interface VisitorConversation {
  readonly id: number;
  readonly token: string;
}

class Load {
  readonly journal = new RequestJournal();
  readonly ledger: Ledger = {
    pseudos: new Map(),
    skills: { acknowledged: [], unconfirmed: [] },
    messages: new Map(),
    wrongReads: [],
  };
  isStopped = false;
  /** By client. */
  readonly finishedRounds: number[] = [];
  readonly #nodes: Nodes;
  readonly #staff: Staff;
  /** Makes keys and names unique across tests. */
  readonly #runId = randomBytes(3).toString('hex');
  #lastNumber = 0;

  constructor(nodes: Nodes, staff: Staff) {
    this.#nodes = nodes;
    this.#staff = staff;
  }

  /** A round returns whether the service was available. */
  async runRounds(round: () => Promise<boolean>, pause = PAUSE_MS): Promise<void> {
    const client = this.finishedRounds.push(0) - 1;
    while (!this.isStopped) {
      if (await round()) this.finishedRounds[client] = (this.finishedRounds[client] ?? 0) + 1;
      await setTimeout(pause);
    }
  }

  /** Writes through one node and reads through another: the value must never be older than the acknowledged one. */
  async writeAndReadPseudo(node: number): Promise<boolean> {
    const { id } = this.#staff.operators[node] as Staff['operators'][number];
    const value = `v${this.#runId}-${this.#nextNumber()}`;
    const known = this.ledger.pseudos.get(id) ?? { acknowledged: `Operator ${node}`, unconfirmed: new Set<string>() };
    this.ledger.pseudos.set(id, known);
    known.unconfirmed.add(value);
    const init = { ...this.#rest('PUT'), body: JSON.stringify({ pseudo: value }) };
    const written = await this.#send('REST write', node, `/api/2/operator/${id}`, withIdempotencyKey(init, value));
    if (written.outcome === 'done') {
      known.acknowledged = value;
      known.unconfirmed.clear();
    }
    const read = await this.#send('REST read', node + 1, `/api/2/operator/${id}`, this.#rest('GET'));
    if (read.outcome !== 'done') return false;
    const { pseudo } = read.body.data;
    if (pseudo !== known.acknowledged && !known.unconfirmed.has(pseudo)) {
      this.ledger.wrongReads.push(`REST: operator ${id} is ${pseudo}, but was acknowledged as ${known.acknowledged}`);
    }
    return written.outcome === 'done';
  }

  /** A page so far into a list that it is read off-thread. */
  async readFarPage(node: number): Promise<boolean> {
    const page = await this.#send('REST slow read', node, '/api/2/operator?page=200&limit=10', this.#rest('GET'));
    return page.outcome !== 'unavailable';
  }

  /** Creates a skill, and retries with the same key until the outcome is known. */
  async createSkill(node: number): Promise<boolean> {
    const name = `skill-${this.#runId}-${this.#nextNumber()}`;
    const { skills } = this.ledger;
    skills.unconfirmed.push(name);
    const query = `mutation{skillCreate(input:{name:"${name}"}){skill{id} userErrors{message}}}`;
    for (let tries = 0; !this.isStopped; tries += 1) {
      const created = await this.#graphql('GraphQL write', node + tries, query, { 'Idempotency-Key': name });
      if (created.outcome === 'done') {
        const id = created.body.data.skillCreate.skill?.id;
        if (id === undefined) this.ledger.wrongReads.push(`GraphQL: ${JSON.stringify(created.body)}`);
        skills.unconfirmed.splice(skills.unconfirmed.indexOf(name), 1);
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

  /** Uses a new address each time to stay below the login limits. */
  async logIn(node: number): Promise<boolean> {
    const number = this.#nextNumber();
    const { email } = this.#staff.operators[number % this.#staff.operators.length] as Staff['operators'][number];
    const credentials =
      number % 2 === 0 ? { email, password: PASSWORD } : { email: `unknown${number}@example.com`, password: '?' };
    const response = await this.#send('login', node, '/oauth2/token', {
      method: 'POST',
      headers: { 'X-Forwarded-For': `10.0.${(number >> 8) & 255}.${number & 255}` },
      body: new URLSearchParams({
        grant_type: 'password',
        username: credentials.email,
        password: credentials.password,
      }),
    });
    return response.outcome !== 'unavailable';
  }

  async openSession(node: number): Promise<boolean> {
    const body = JSON.stringify({ websiteId: this.#staff.website });
    const init = { method: 'POST', headers: JSON_BODY, body };
    return (await this.#send('visitor session', node, '/visitor/session', init)).outcome !== 'unavailable';
  }

  /** Sends a message with the same client id until it is acknowledged. */
  async sendMessage(node: number, { id, token }: VisitorConversation): Promise<boolean> {
    const clientId = `m${this.#runId}-${this.#nextNumber()}`;
    const query = `mutation{messageSend(input:{conversationId:${id} clientId:"${clientId}" text:"${clientId}"}){message{sequence} userErrors{message}}}`;
    const init = {
      method: 'POST',
      headers: { ...JSON_BODY, Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    };
    for (let tries = 0; !this.isStopped; tries += 1) {
      const sent = await this.#send('visitor message', node + tries, '/visitor/graphql', init);
      if (sent.outcome === 'done') {
        if (!sent.body.data.messageSend.message) this.ledger.wrongReads.push(`message: ${JSON.stringify(sent.body)}`);
        this.ledger.messages.set(id, [...(this.ledger.messages.get(id) ?? []), clientId]);
        return true;
      }
      await setTimeout(PAUSE_MS);
    }
    return false;
  }

  #graphql(kind: string, node: number, query: string, headers: Record<string, string> = {}): Promise<RecordedResponse> {
    return this.#send(kind, node, '/graphql', {
      method: 'POST',
      headers: { ...JSON_BODY, Authorization: `Bearer ${this.#nodes.token}`, ...headers },
      body: JSON.stringify({ query }),
    });
  }

  #rest(method: string): RequestInit & { headers: Record<string, string> } {
    return { method, headers: { 'X-API-Key': this.#nodes.all[0]?.key ?? '', ...JSON_BODY } };
  }

  #send(kind: string, node: number, path: string, init: RequestInit): Promise<RecordedResponse> {
    const index = node % this.#nodes.urls.length;
    return this.journal.send(kind, index, `${this.#nodes.urls[index]}${path}`, init);
  }

  #nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }
}

function withIdempotencyKey(init: RequestInit & { headers: Record<string, string> }, key: string): RequestInit {
  return { ...init, headers: { ...init.headers, 'Idempotency-Key': key } };
}
