export interface Answer {
  /** 0 if there is none: the network, or the service, is down. */
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the form of its answer
  readonly body: any;
  readonly retryAfterSeconds: number;
}

export interface RequestOptions {
  /** JSON as text, or a form. Without one, the request is a GET. */
  readonly body?: string | FormData;
  readonly token?: string;
  readonly signal?: AbortSignal;
  onProgress?(bytes: number): void;
}

const MAX_MS = 30_000;

/** Never fails. Uses `XMLHttpRequest`: pages replace `fetch`, and it has no progress of uploads. */
export function request(url: string, { body, token, signal, onProgress }: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const call = new XMLHttpRequest();
    call.open(body === undefined ? 'GET' : 'POST', url);
    if (token) call.setRequestHeader('Authorization', `Bearer ${token}`);
    if (typeof body === 'string') call.setRequestHeader('Content-Type', 'application/json');
    if (onProgress) call.upload.onprogress = ({ loaded }) => onProgress(loaded);
    else call.timeout = MAX_MS;
    call.onloadend = () =>
      resolve({
        status: call.status,
        body: parse(call.responseText),
        retryAfterSeconds: Number(call.getResponseHeader('Retry-After')),
      });
    signal?.addEventListener('abort', () => call.abort());
    call.send(body ?? null);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
