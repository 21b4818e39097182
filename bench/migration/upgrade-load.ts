import { setTimeout } from 'node:timers/promises';
import { API_KEY } from '../data.ts';
import { visitorToken } from '../engine/population.ts';

/** Reads, messages and starts of conversations, sent one after another by each client. */

export type Kind = 'read' | 'message' | 'start';

export interface Failure {
  readonly text: string;
  /** By this process's clock. */
  readonly sentAt: number;
  readonly milliseconds: number;
}

interface Sent {
  readonly kind: Kind;
  readonly milliseconds: number;
  readonly failure: Failure | undefined;
}

export interface KindResult {
  readonly kind: Kind;
  readonly requests: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  readonly failures: readonly Failure[];
}

const KINDS: readonly Kind[] = ['read', 'message', 'start'];
const CLIENTS_PER_KIND = 4;
const PAUSE_MS = 20;

export class UpgradeLoad {
  /** Acknowledged messages by conversation. */
  readonly acknowledged = new Map<string, string[]>();
  readonly #readableConversations: number;
  readonly #running: Promise<void>[] = [];
  #ports: readonly number[];
  #sent: Sent[] = [];
  #isStopped = false;
  #count = 0;

  constructor(ports: readonly number[], readableConversations: number) {
    this.#ports = ports;
    this.#readableConversations = readableConversations;
  }

  /** Later requests are spread over these nodes. */
  set ports(ports: readonly number[]) {
    this.#ports = ports;
  }

  get requests(): number {
    return this.#sent.length;
  }

  start(): void {
    for (let client = 1; client <= CLIENTS_PER_KIND; client += 1) {
      this.#running.push(this.#repeat(() => this.#read()));
      this.#running.push(this.#writeMessages(client));
      this.#running.push(this.#repeat(() => this.#startAndClose(CLIENTS_PER_KIND + client)));
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  /** Returns what was measured since the last call. */
  takeResults(): KindResult[] {
    const sent = this.#sent;
    this.#sent = [];
    return KINDS.map((kind) => summarize(kind, sent));
  }

  async #repeat(round: () => Promise<unknown>): Promise<void> {
    while (!this.#isStopped) {
      await round();
      await setTimeout(PAUSE_MS);
    }
  }

  /** An operator, or an old conversation with its messages. */
  async #read(): Promise<void> {
    this.#count += 1;
    const conversation = 1 + ((this.#count * 7919) % this.#readableConversations);
    const path = this.#count % 2 === 0 ? '/api/2/operator/2' : `/api/2/conversation/${conversation}`;
    await this.#send('read', path, { headers: { 'X-API-Key': API_KEY } });
  }

  async #writeMessages(visitor: number): Promise<void> {
    const id = await this.#startConversation(visitor);
    const sent: string[] = [];
    if (id) this.acknowledged.set(id, sent);
    await this.#repeat(async () => {
      const clientId = `m${visitor}-${sent.length}`;
      const input = { conversationId: id, clientId, text: clientId };
      const body = await this.#visitor('message', visitor, MESSAGE_SEND, input);
      if (body?.data?.messageSend?.message) sent.push(clientId);
    });
  }

  async #startAndClose(visitor: number): Promise<void> {
    const id = await this.#startConversation(visitor);
    if (id) await this.#visitor('message', visitor, CONVERSATION_CLOSE, { id });
  }

  async #startConversation(visitor: number): Promise<string | undefined> {
    const body = await this.#visitor('start', visitor, CONVERSATION_START, { channel: 'CHAT', message: 'Hello' });
    return body?.data?.conversationStart?.conversation?.id;
  }

  #visitor(kind: Kind, visitor: number, query: string, input: object) {
    return this.#send(kind, '/visitor/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${visitorToken(visitor)}` },
      body: JSON.stringify({ query, variables: { input } }),
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  async #send(kind: Kind, path: string, init: RequestInit): Promise<any> {
    this.#count += 1;
    const port = this.#ports[this.#count % this.#ports.length];
    const sentAt = performance.now();
    const { body, failure: text } = await fetchJson(`http://127.0.0.1:${port}${path}`, init);
    const milliseconds = performance.now() - sentAt;
    this.#sent.push({ kind, milliseconds, failure: text === undefined ? undefined : { text, sentAt, milliseconds } });
    return body;
  }
}

const MESSAGE_SEND =
  'mutation($input:MessageSendInput!){messageSend(input:$input){message{sequence} userErrors{message}}}';
const CONVERSATION_START =
  'mutation($input:ConversationStartInput!){conversationStart(input:$input){conversation{id} userErrors{message}}}';
const CONVERSATION_CLOSE =
  'mutation($input:ConversationCloseInput!){conversationClose(input:$input){userErrors{message}}}';

async function fetchJson(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    const isGood = response.status === 200 && !text.includes('"errors"') && !text.includes('"userErrors":[{');
    return { body: JSON.parse(text), failure: isGood ? undefined : `${response.status} ${text.slice(0, 300)}` };
  } catch (error) {
    return { body: undefined, failure: String((error as Error).cause ?? error) };
  }
}

function summarize(kind: Kind, all: readonly Sent[]): KindResult {
  const sent = all.filter((one) => one.kind === kind);
  const sorted = sent.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    ...{ kind, requests: sent.length, medianMs: at(0.5), p99Ms: at(0.99), longestMs: sorted.at(-1) ?? 0 },
    failures: sent.flatMap(({ failure }) => failure ?? []),
  };
}
