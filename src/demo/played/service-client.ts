import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { text as readText } from 'node:stream/consumers';
import type { Client } from 'graphql-ws';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** An answer of the service that is not the expected one. */
export class RefusedRequest extends Error {
  /** The code of GraphQL or OAuth, or the status of HTTP. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.name = 'RefusedRequest';
    this.code = code;
  }
}

/** Calls the public interfaces of the service at the address on which it listens. */
export class ServiceClient {
  readonly #url: URL;
  readonly #tls: object;
  readonly #agent: Agent;

  /** With TLS, exactly this certificate is trusted: it may be self-signed, and issued for another name. */
  constructor(url: string, certificate?: Buffer) {
    this.#url = new URL(url);
    this.#tls = certificate
      ? { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined }
      : {};
    this.#agent = certificate ? new TlsAgent({ keepAlive: true, ...this.#tls }) : new Agent({ keepAlive: true });
  }

  /** Exchanges an e-mail address and a password for a token. */
  async logIn(username: string, password: string): Promise<string> {
    const body = new URLSearchParams({ grant_type: 'password', username, password }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await this.#send('POST', '/oauth2/token', headers, body);
    const token: unknown = answer.access_token;
    if (typeof token !== 'string') throw new RefusedRequest(String(answer.error), String(answer.error_description));
    return token;
  }

  /** Returns the data of an operation. Fails with the first error, also of the user. */
  async run<Data>(token: string, query: string, variables: object = {}): Promise<Data> {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    // Reads by GET are not logged at the level of changes.
    const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    const answer = query.startsWith('mutation')
      ? await this.#send('POST', '/graphql', headers, JSON.stringify({ query, variables }))
      : await this.#send('GET', `/graphql?${parameters}`, headers);
    const { data, errors = [] } = answer as { data?: Record<string, unknown>; errors?: readonly GraphqlError[] };
    const payloads = Object.values(data ?? {}) as ({ userErrors?: readonly UserError[] } | null)[];
    const [userError] = payloads.flatMap((payload) => payload?.userErrors ?? []);
    if (errors[0]) throw new RefusedRequest(errors[0].extensions?.code ?? 'UNREADABLE', errors[0].message);
    if (userError) throw new RefusedRequest(userError.code, userError.message);
    return data as Data;
  }

  openSocket(token: string): Client {
    const tls = this.#tls;
    return createClient({
      url: new URL('/graphql', this.#url).href.replace(/^http/, 'ws'),
      webSocketImpl: class extends WebSocket {
        constructor(address: string, protocols: string | string[]) {
          super(address, protocols, tls);
        }
      },
      connectionParams: { token },
      retryAttempts: 0,
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Record<string, unknown>> {
    const send = this.#url.protocol === 'https:' ? requestHttps : requestHttp;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(new URL(path, this.#url), { method, headers, agent: this.#agent }, resolve);
      request.on('error', reject);
      request.end(body);
    });
    const text = await readText(response);
    try {
      return JSON.parse(text) as Record<string, unknown>;
    } catch {
      throw new RefusedRequest(`HTTP ${response.statusCode}`, text.slice(0, 200));
    }
  }
}

interface GraphqlError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

interface UserError {
  readonly message: string;
  readonly code: string;
}
