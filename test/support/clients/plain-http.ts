import { type IncomingHttpHeaders, request } from 'node:http';

export interface PlainResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Unlike `fetch`, asks for no encoding by itself, decodes nothing and follows no redirect. */
export function getPlain(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<PlainResponse> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode, headers: response.headers, bytes });
    })
      .once('error', reject)
      .end();
  });
}
