import { type RunningServer, startServer } from '../../src/app/server.ts';
import { WebhookDispatcher } from '../../src/core/webhooks/dispatcher.ts';
import type { OpenInstallation } from '../support/databases/databases.ts';
import { NO_LIMITS } from '../support/people/site.ts';
import { type About, CONVERSATION, type Operation } from './operation.ts';
import { People } from './people.ts';
import { Receiver } from './webhook-receiver.ts';

/** What came of an operation, as far as both databases must agree on it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const SETTINGS = {
  ...NO_LIMITS,
  SWITCHBOARD_LOG_LEVEL: 'error',
  SWITCHBOARD_SECRET: 'the same secret on both databases, so that what is derived from it is the same',
  SWITCHBOARD_EVENT_DAYS: '1',
  SWITCHBOARD_HISTORY_DAYS: '1',
};

/** Of the exchange itself, not of what was asked for. */
const NOT_COMPARED = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'content-length']);

/** One of the two installations, with the real service around it. Nothing happens on it but the operations. */
export class Side {
  readonly name: string;
  readonly installation: OpenInstallation;
  readonly #server: RunningServer;
  readonly #keys: { readonly write: string; readonly read: string };
  readonly #dispatcher: WebhookDispatcher;
  readonly #receiver = new Receiver();
  readonly #people: People;

  private constructor(
    name: string,
    installation: OpenInstallation,
    server: RunningServer,
    keys: { readonly write: string; readonly read: string },
  ) {
    this.name = name;
    this.installation = installation;
    this.#server = server;
    this.#keys = keys;
    this.#people = new People(installation);
    const {
      database,
      webhooks: { hooks: webhooks },
    } = installation;
    const onError = (error: unknown) => {
      throw error;
    };
    this.#dispatcher = new WebhookDispatcher({
      ...{ database, webhooks, onError },
      sender: this.#receiver,
      random: () => 0.5,
    });
  }

  static async open(
    name: string,
    open: (settings: Record<string, string>) => Promise<OpenInstallation>,
  ): Promise<Side> {
    const installation = await open(SETTINGS);
    const { database, apiKeys, caller, config } = installation;
    const key = async (access: 'read' | 'write') => {
      const made = await database.transaction((tx) =>
        apiKeys.create(tx, caller, { name: access, access, expiresAt: null }),
      );
      return made.secret;
    };
    const keys = { write: await key('write'), read: await key('read') };
    const server = await startServer(installation, config, { runsByItself: false });
    return new Side(name, installation, server, keys);
  }

  async play(operation: Operation): Promise<Answer> {
    switch (operation.kind) {
      case 'rest':
        return this.#rest(operation);
      case 'graphql':
        return this.#desk(operation);
      case 'visitor':
        return this.#page(operation);
      case 'session':
        return this.#session(operation.body);
      case 'pass':
        this.installation.clock.advance(operation.milliseconds);
        return done(await this.installation.scheduler.tick());
      case 'sweep':
        return done(await this.installation.scheduler.sweep());
      case 'housekeeping':
        return this.#keepHouse();
      case 'webhooks':
        return this.#sendWebhooks(operation.statuses);
    }
  }

  async end(): Promise<void> {
    await this.#dispatcher.stop(0);
    await this.#server.stop();
    await this.installation.end();
  }

  #rest({ key, method, path, body, contentType, idempotencyKey }: Extract<Operation, { kind: 'rest' }>) {
    return this.#send(
      method,
      path,
      {
        'X-API-Key': this.#keys[key],
        ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      body,
    );
  }

  async #desk(operation: Extract<Operation, { kind: 'graphql' }>): Promise<Answer> {
    const found = await this.#conversation(operation.about);
    const token = await this.#people.deskToken(found?.operatorId ?? operation.as);
    return this.#graphql('/graphql', token, naming(operation, found));
  }

  async #page(operation: Extract<Operation, { kind: 'visitor' }>): Promise<Answer> {
    const found = await this.#conversation(operation.about);
    const token = this.#people.visitorToken(operation.as, found?.visitorId ?? undefined);
    return this.#graphql('/visitor/graphql', token, naming(operation, found));
  }

  async #conversation(about: About | undefined) {
    if (!about) return undefined;
    const { database, accountId } = this.installation;
    const found = await database.read
      .selectFrom('conversations')
      .select(['id', 'operatorId', 'visitorId'])
      .where('accountId', '=', accountId)
      .where('state', '=', about.state)
      .orderBy('id')
      .execute();
    return found[about.pick % found.length];
  }

  #graphql(
    path: string,
    token: string,
    { query, variables, ...rest }: { query: string; variables: object; idempotencyKey?: string },
  ): Promise<Answer> {
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${token}`,
      ...(rest.idempotencyKey === undefined ? {} : { 'Idempotency-Key': rest.idempotencyKey }),
    };
    return this.#send('POST', path, headers, JSON.stringify({ query, variables }));
  }

  async #session(fields: Readonly<Record<string, unknown>>): Promise<Answer> {
    const { websiteId, externalId } = fields;
    const signature =
      typeof externalId === 'string' ? await this.#people.sign(Number(websiteId), externalId) : undefined;
    const body = JSON.stringify({ ...fields, signature });
    const answer = await this.#send('POST', '/visitor/session', { 'Content-Type': 'application/json' }, body);
    if (answer.status === 201) await this.#people.comeIn(JSON.parse(answer.body));
    return answer;
  }

  async #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(this.#server.url + path, init);
    const kept = [...response.headers].filter(([name]) => !NOT_COMPARED.has(name));
    return { status: response.status, headers: Object.fromEntries(kept.sort()), body: await response.text() };
  }

  forgetDesks(): void {
    this.#people.forgetDesks();
  }

  async #keepHouse(): Promise<Answer> {
    const { apiKeys, restUsage, tokens, singleSignOn, limits, idempotency, retention, ...groups } = this.installation;
    await apiKeys.recordUse();
    await restUsage.record();
    for (const subject of [
      tokens,
      singleSignOn,
      groups.visitors.sessions,
      limits,
      idempotency,
      groups.webhooks.deliveries,
    ])
      await subject.clean();
    await retention.clean();
    return done(0);
  }

  async #sendWebhooks(statuses: readonly number[]): Promise<Answer> {
    this.#receiver.statuses = statuses;
    await this.#dispatcher.settle();
    return { status: 200, headers: {}, body: JSON.stringify(this.#receiver.taken()) };
  }
}

/** The operation with the number of the conversation that it is about. */
function naming<T extends { variables: Readonly<Record<string, unknown>> }>(operation: T, found?: { id: number }): T {
  const text = JSON.stringify(operation.variables).replaceAll(CONVERSATION, String(found?.id ?? 1));
  return { ...operation, variables: JSON.parse(text) };
}

function done(count: number): Answer {
  return { status: 200, headers: {}, body: String(count) };
}
