import { type RunningServer, startServer } from '../../src/app/server.ts';
import { WebhookDispatcher } from '../../src/core/webhooks/dispatcher.ts';
import type { TestInstallation } from '../support/databases/databases.ts';
import { NO_LIMITS } from '../support/fixtures/site.ts';
import { CONVERSATION_PLACEHOLDER, type ConversationChoice, type Operation } from './operation.ts';
import { Sessions } from './sessions.ts';
import { FakeWebhookReceiver } from './webhook-receiver.ts';

/** The parts of a response that must be the same on both databases. */
export interface OperationResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ENVIRONMENT = {
  ...NO_LIMITS,
  SWITCHBOARD_LOG_LEVEL: 'error',
  SWITCHBOARD_SECRET: 'the same secret on both databases, so that derived values are the same',
  SWITCHBOARD_EVENT_DAYS: '1',
  SWITCHBOARD_HISTORY_DAYS: '1',
};

const IGNORED_HEADERS = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'content-length']);

/** One of the two installations, behind the real server. Only the operations change it: no background jobs run. */
export class ComparedInstallation {
  readonly name: string;
  readonly installation: TestInstallation;
  readonly #server: RunningServer;
  readonly #keys: { readonly write: string; readonly read: string };
  readonly #dispatcher: WebhookDispatcher;
  readonly #receiver = new FakeWebhookReceiver();
  readonly #sessions: Sessions;

  private constructor(
    name: string,
    installation: TestInstallation,
    server: RunningServer,
    keys: { readonly write: string; readonly read: string },
  ) {
    this.name = name;
    this.installation = installation;
    this.#server = server;
    this.#keys = keys;
    this.#sessions = new Sessions(installation);
    const {
      database,
      webhooks: { service: webhooks },
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
    open: (settings: Record<string, string>) => Promise<TestInstallation>,
  ): Promise<ComparedInstallation> {
    const installation = await open(ENVIRONMENT);
    const { database, apiKeys, caller, config } = installation;
    const createKey = async (access: 'read' | 'write') => {
      const created = await database.transaction((tx) =>
        apiKeys.create(tx, caller, { name: access, access, expiresAt: null }),
      );
      return created.secret;
    };
    const keys = { write: await createKey('write'), read: await createKey('read') };
    const server = await startServer(installation, config, { runJobs: false });
    return new ComparedInstallation(name, installation, server, keys);
  }

  async run(operation: Operation): Promise<OperationResult> {
    switch (operation.kind) {
      case 'rest':
        return this.#runRestOperation(operation);
      case 'graphql':
        return this.#runDeskOperation(operation);
      case 'visitor':
        return this.#runVisitorOperation(operation);
      case 'session':
        return this.#openSession(operation.body);
      case 'advanceClock':
        this.installation.clock.advance(operation.milliseconds);
        return toResult(await this.installation.scheduler.tick());
      case 'sweep':
        return toResult(await this.installation.scheduler.sweep());
      case 'housekeeping':
        return this.#runHousekeeping();
      case 'webhooks':
        return this.#sendWebhooks(operation.statuses);
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.stop(0);
    await this.#server.stop();
    await this.installation.end();
  }

  #runRestOperation({ key, method, path, body, contentType, idempotencyKey }: Extract<Operation, { kind: 'rest' }>) {
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

  async #runDeskOperation(operation: Extract<Operation, { kind: 'graphql' }>): Promise<OperationResult> {
    const found = await this.#findConversation(operation.target);
    const token = await this.#sessions.deskToken(found?.operatorId ?? operation.as);
    return this.#graphql('/graphql', token, withConversationId(operation, found));
  }

  async #runVisitorOperation(operation: Extract<Operation, { kind: 'visitor' }>): Promise<OperationResult> {
    const found = await this.#findConversation(operation.target);
    const token = this.#sessions.visitorToken(operation.as, found?.visitorId ?? undefined);
    return this.#graphql('/visitor/graphql', token, withConversationId(operation, found));
  }

  async #findConversation(target: ConversationChoice | undefined) {
    if (!target) return undefined;
    const { database, accountId } = this.installation;
    const found = await database.read
      .selectFrom('conversations')
      .select(['id', 'operatorId', 'visitorId'])
      .where('accountId', '=', accountId)
      .where('state', '=', target.state)
      .orderBy('id')
      .execute();
    return found[target.pick % found.length];
  }

  #graphql(
    path: string,
    token: string,
    { query, variables, ...rest }: { query: string; variables: object; idempotencyKey?: string },
  ): Promise<OperationResult> {
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${token}`,
      ...(rest.idempotencyKey === undefined ? {} : { 'Idempotency-Key': rest.idempotencyKey }),
    };
    return this.#send('POST', path, headers, JSON.stringify({ query, variables }));
  }

  async #openSession(fields: Readonly<Record<string, unknown>>): Promise<OperationResult> {
    const { websiteId, externalId } = fields;
    const signature =
      typeof externalId === 'string' ? await this.#sessions.sign(Number(websiteId), externalId) : undefined;
    const body = JSON.stringify({ ...fields, signature });
    const response = await this.#send('POST', '/visitor/session', { 'Content-Type': 'application/json' }, body);
    if (response.status === 201) await this.#sessions.addVisitor(JSON.parse(response.body));
    return response;
  }

  async #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<OperationResult> {
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(this.#server.url + path, init);
    const compared = [...response.headers].filter(([name]) => !IGNORED_HEADERS.has(name));
    return { status: response.status, headers: Object.fromEntries(compared.sort()), body: await response.text() };
  }

  clearDeskTokens(): void {
    this.#sessions.clearDeskTokens();
  }

  async #runHousekeeping(): Promise<OperationResult> {
    const { apiKeys, restUsage, tokens, singleSignOn, limits, idempotency, retention, ...groups } = this.installation;
    await apiKeys.recordUse();
    await restUsage.flush();
    for (const subject of [
      tokens,
      singleSignOn,
      groups.visitors.sessions,
      limits,
      idempotency,
      groups.webhooks.deliveries,
    ])
      await subject.deleteExpired();
    await retention.deleteExpired();
    return toResult(0);
  }

  async #sendWebhooks(statuses: readonly number[]): Promise<OperationResult> {
    this.#receiver.statuses = statuses;
    await this.#dispatcher.settle();
    return { status: 200, headers: {}, body: JSON.stringify(this.#receiver.takePosts()) };
  }
}

/** Replaces the placeholder in the variables with the id of the conversation. */
function withConversationId<T extends { variables: Readonly<Record<string, unknown>> }>(
  operation: T,
  found?: { id: number },
): T {
  const text = JSON.stringify(operation.variables).replaceAll(CONVERSATION_PLACEHOLDER, String(found?.id ?? 1));
  return { ...operation, variables: JSON.parse(text) };
}

function toResult(count: number): OperationResult {
  return { status: 200, headers: {}, body: String(count) };
}
