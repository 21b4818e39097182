import { request } from './request.ts';
import type { Session } from './session.ts';

export interface UploadOptions {
  readonly service: string;
  readonly session: Session;
  readonly conversationId: string;
  readonly signal: AbortSignal;
  onProgress(bytes: number): void;
}

export type UploadResult = { readonly id: string } | { readonly status: number };

/** Stores a file for a message that will name it. */
export async function uploadFile(file: File, options: UploadOptions): Promise<UploadResult> {
  const { service, session, conversationId, signal, onProgress } = options;
  const body = new FormData();
  body.append('conversationId', conversationId); // must come before the file
  body.append('file', file);
  const token = await session.getToken();
  const answer = await request(`${service}visitor/attachment`, { body, token, signal, onProgress });
  return answer.status === 201 ? { id: answer.body.id } : { status: answer.status };
}
