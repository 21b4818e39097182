import { sendText } from './plain-http.ts';

export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly body: any;
}

export interface RestClient {
  get(path: string, headers?: Record<string, string>): Promise<RestResponse>;
  post(path: string, body: string | object, headers?: Record<string, string>): Promise<RestResponse>;
  put(path: string, body: string | object, headers?: Record<string, string>): Promise<RestResponse>;
  delete(path: string, headers?: Record<string, string>): Promise<RestResponse>;
  send(method: string, path: string, init?: { body?: string; headers?: Record<string, string> }): Promise<RestResponse>;
}

/** A client of `/api/2`. A string body is sent as a form, an object as JSON. */
export function restClient(url: string, key: string): RestClient {
  const send: RestClient['send'] = async (method, path, init = {}) => {
    const { status, headers, text } = await sendText(`${url}/api/2${path}`, {
      ...init,
      method,
      headers: { 'X-API-Key': key, ...init.headers },
    });
    return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const write =
    (method: string) =>
    (path: string, body: string | object, headers: Record<string, string> = {}) =>
      typeof body === 'string'
        ? send(method, path, { body, headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers } })
        : send(method, path, {
            body: JSON.stringify(body),
            headers: { 'Content-Type': 'application/json', ...headers },
          });
  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: write('POST'),
    put: write('PUT'),
    delete: (path, headers = {}) => send('DELETE', path, { headers }),
  };
}
