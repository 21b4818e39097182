import assert from 'node:assert/strict';
import { type GraphqlAnswer, type GraphqlClient, graphqlClient, logIn } from '../clients/graphql.ts';
import { type RestClient, restClient } from '../clients/rest.ts';
import { openSocket, type Socket } from '../clients/subscriptions.ts';
import { type StartOptions, type Switchboard, startSwitchboard } from '../processes/switchboard.ts';
import { add, addOperator } from './people.ts';

const PASSWORD = 'a password for the tests';

export const ORIGIN = 'https://shop.example';
export const NO_LIMITS = {
  SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
};

export interface SessionAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any;
}

/** Somebody on the website, as its page talks to the service. */
export interface SiteVisitor {
  readonly token: string;
  readonly visitorId: string;
  run(query: string, variables?: object, headers?: Record<string, string>): Promise<GraphqlAnswer>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  start(input?: object): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  send(conversationId: string, text: string, clientId?: string): Promise<any>;
  socket(): Socket;
}

export interface SiteOperator extends GraphqlClient {
  readonly id: number;
  accept(conversationId: string): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  send(conversationId: string, text: string, clientId?: string): Promise<any>;
}

/** The real program with a website, to which visitors and operators come by the public interfaces. */
export interface Site {
  readonly switchboard: Switchboard;
  readonly url: string;
  readonly rest: RestClient;
  readonly admin: GraphqlClient;
  readonly websiteId: number;
  session(body: object | string, headers?: Record<string, string>): Promise<SessionAnswer>;
  visitor(body?: object): Promise<SiteVisitor>;
  visitorWith(token: string): SiteVisitor;
  /** Connected and available, unless they are said to be away. */
  operator(fields?: Record<string, unknown>, options?: { away?: boolean }): Promise<SiteOperator>;
  /** The secret of a website, by its number. */
  secret(websiteId?: number): Promise<string>;
  stop(): Promise<void>;
}

export async function openSite(options: StartOptions = {}): Promise<Site> {
  const switchboard = await startSwitchboard({ ...options, env: { ...NO_LIMITS, ...options.env } });
  const { url } = switchboard;
  const rest = restClient(url, switchboard.key);
  const admin = graphqlClient(url, await logIn(url));
  const websiteId = await add(rest, 'website', { url: `${ORIGIN}/path`, label: 'Shop' });

  const session: Site['session'] = async (body, headers = {}) => {
    const isForm = typeof body === 'string';
    const response = await fetch(`${url}/visitor/session`, {
      method: 'POST',
      headers: { 'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json', ...headers },
      body: isForm ? body : JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    ...{ switchboard, url, rest, admin, websiteId, session },
    visitor: async (body = {}) => {
      const answer = await session({ websiteId, ...body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return siteVisitor(url, answer.body.token, answer.body.visitorId);
    },
    visitorWith: (token) => siteVisitor(url, token, ''),
    operator: (fields, { away = false } = {}) => siteOperator(url, rest, fields ?? {}, away),
    secret: async (id = websiteId) => {
      const { data } = await admin.run('query($id:ID!){website(id:$id){visitorSecret}}', { id });
      return data.website.visitorSecret;
    },
    stop: () => switchboard.stop(),
  };
}

function siteVisitor(url: string, token: string, visitorId: string): SiteVisitor {
  const run: SiteVisitor['run'] = async (query, variables = {}, headers = {}) => {
    const response = await fetch(`${url}/visitor/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors = [] } = (await response.json()) as { data?: unknown; errors?: GraphqlAnswer['errors'] };
    return { status: response.status, headers: response.headers, data, errors };
  };
  return {
    ...{ token, visitorId, run },
    start: async (input = {}) => {
      const { data, errors } = await run(
        `mutation($input:ConversationStartInput!){conversationStart(input:$input){
          conversation{id state channel queuePosition operator{pseudo} messageCount} userErrors{field message code}}}`,
        { input: { channel: 'CHAT', ...input } },
      );
      assert.deepEqual(errors, []);
      assert.deepEqual(data.conversationStart.userErrors, []);
      return data.conversationStart.conversation;
    },
    send: async (conversationId, text, clientId) => {
      const { data, errors } = await run(SEND, { input: { conversationId, text, clientId } });
      assert.deepEqual(errors, []);
      return data.messageSend;
    },
    socket: () => openSocket(url, token, { token }, { path: '/visitor/graphql' }),
  };
}

const SEND = `mutation($input:MessageSendInput!){messageSend(input:$input){
  message{sequence clientId author text at operator{pseudo}} userErrors{field message code}}}`;

async function siteOperator(
  url: string,
  rest: RestClient,
  fields: Record<string, unknown>,
  away: boolean,
): Promise<SiteOperator> {
  const made = await addOperator(rest, { password: PASSWORD, ...fields });
  const client = graphqlClient(url, await logIn(url, { email: made.email, password: PASSWORD }));
  const done = async (query: string, variables: object) => {
    const { data, errors } = await client.run(query, variables);
    assert.deepEqual(errors, []);
    const [payload] = Object.values(data) as { userErrors: unknown[] }[];
    assert.deepEqual(payload?.userErrors, []);
    return payload;
  };
  if (!away) {
    const available = { id: made.id, chat: true, ...(made.call_enabled ? { call: true } : {}) };
    await done(
      'mutation($input:OperatorAvailabilityUpdateInput!){operatorAvailabilityUpdate(input:$input){userErrors{message}}}',
      { input: { ...available, ...(made.video_enabled ? { video: true } : {}) } },
    );
    await done('mutation{operatorConnect(input:{ttlSeconds:300}){userErrors{message}}}', {});
  }
  return {
    ...client,
    id: made.id,
    accept: async (conversationId) => {
      await done('mutation($input:OfferAcceptInput!){offerAccept(input:$input){userErrors{message}}}', {
        input: { conversationId },
      });
    },
    send: (conversationId, text, clientId) => done(SEND, { input: { conversationId, text, clientId } }),
  };
}
