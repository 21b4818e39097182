import { type IncomingHttpHeaders, request } from 'node:http';

export interface PlainResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values as sent. */
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
}

/** Unlike `fetch`, asks for no encoding by itself, decodes nothing and follows no redirect. */
export function getPlain(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<PlainResponse> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      const { statusCode, headers: received, rawHeaders } = response;
      resolve({ status: statusCode, headers: received, rawHeaders, bytes });
    })
      .once('error', reject)
      .end();
  });
}
