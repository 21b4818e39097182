import { hash } from 'node:crypto';
import type { ApiClient } from '../api-client.ts';
import { type HttpClient, waitBeforeRetry } from '../http-client.ts';
import type { Random } from '../random.ts';
import { randomText } from './context.ts';

const UPLOAD_PATH = '/visitor/attachment';
const MAX_UPLOAD_ATTEMPTS = 5;
const MAX_FILE_BYTES = 1_000_000;

/** The size and hash of a file, which must be the same on both sides. */
export interface FileContent {
  readonly size: number;
  readonly sha256: string;
}

export interface UploadedFile extends FileContent {
  readonly id: string;
}

/** Uploads a text file. Returns undefined if the service refused it, for example because the conversation is closed. */
export async function uploadFile(
  { client, token }: ApiClient,
  conversation: number,
  random: Random,
): Promise<UploadedFile | undefined> {
  const words = randomText(random);
  const text = words.repeat(random.integer(1, Math.floor(MAX_FILE_BYTES / Buffer.byteLength(words))));
  const boundary = 'simulated-file-boundary';
  const part = (headers: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${value}\r\n`;
  const file = part('name="file"; filename="notes.txt"\r\nContent-Type: text/plain', text);
  const body = `${part('name="conversationId"', String(conversation))}${file}--${boundary}--\r\n`;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  for (let attempts = 1; ; attempts += 1) {
    const reply = await client.post({ path: UPLOAD_PATH, headers, body });
    if ('body' in reply && reply.body?.id !== undefined) return { id: String(reply.body.id), ...describe(text) };
    const isRetryable = 'noResponse' in reply || reply.status === 429 || reply.status === 503;
    if (!isRetryable || attempts === MAX_UPLOAD_ATTEMPTS) return undefined;
    if ('noResponse' in reply) client.switchNode();
    await waitBeforeRetry(reply, attempts);
  }
}

/** Downloads a file. Its status is null if there was no response. */
export async function downloadFile(
  client: HttpClient,
  path: string,
): Promise<FileContent & { readonly status: number | null }> {
  try {
    const response = await fetch(new URL(path, client.url), { headers: client.headers });
    return { status: response.status, ...describe(Buffer.from(await response.arrayBuffer())) };
  } catch {
    return { status: null, size: 0, sha256: '' };
  }
}

function describe(content: string | Buffer): FileContent {
  return { size: Buffer.byteLength(content), sha256: hash('sha256', content, 'hex') };
}
