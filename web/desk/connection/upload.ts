import { type Answer, fail, succeed } from '../../shared/api/request.ts';
import { createOwnerHeaders } from '../../shared/api/session-owner.ts';
import type { Attachment } from '../state/model.ts';

export interface UploadOptions {
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Why a file is refused, by the status of the answer. */
const CODES: Readonly<Record<number, string>> = {
  400: 'file.invalid',
  403: 'FORBIDDEN',
  404: 'id.unknown_id',
  408: 'file.too_slow',
  409: 'state',
  413: 'file.too_large',
  415: 'file.unsupported',
};

/** Stores a file for a message that will name it. `fetch` would not tell how far it is. */
export function uploadFile(
  conversationId: string,
  file: File,
  { onProgress, signal }: UploadOptions,
): Promise<Answer<Attachment>> {
  const body = new FormData();
  body.append('conversationId', conversationId); // must come before the file
  body.append('file', file);
  const request = new XMLHttpRequest();
  const result = new Promise<Answer<Attachment>>((resolve) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => resolve(readAnswer(request, file));
    request.onerror = () => resolve(fail({ kind: 'unreachable' }));
    request.onabort = () => resolve(fail({ kind: 'refused', code: 'aborted', description: 'The upload was stopped.' }));
  });
  request.open('POST', '/attachment');
  for (const [name, value] of Object.entries(createOwnerHeaders())) request.setRequestHeader(name, value);
  request.send(body);
  const abort = () => request.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return result.finally(() => signal.removeEventListener('abort', abort));
}

function readAnswer(request: XMLHttpRequest, file: File): Answer<Attachment> {
  const { status } = request;
  if (status === 201) return succeed(toAttachment(JSON.parse(request.responseText), file));
  if (status === 401) return fail({ kind: 'loggedOut' });
  if (status === 429) return fail({ kind: 'limited', seconds: Number(request.getResponseHeader('retry-after')) || 60 });
  const code = CODES[status];
  if (code === undefined) return fail({ kind: 'unreachable' });
  return fail({ kind: 'refused', code, description: readMessage(request.responseText) });
}

/** The address of the service comes with the message; until then the picture is shown from here. */
function toAttachment(stored: Omit<Attachment, 'url' | 'expiresAt'>, file: File): Attachment {
  return { ...stored, url: stored.isImage ? URL.createObjectURL(file) : '', expiresAt: '9999-12-31T00:00:00.000Z' };
}

/** For programs. Empty where a proxy answers with a page. */
function readMessage(text: string): string {
  try {
    return JSON.parse(text).errors[0].message;
  } catch {
    return '';
  }
}
