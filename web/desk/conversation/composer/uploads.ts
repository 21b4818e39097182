import type { Answer, Failure } from '../../../shared/api/request.ts';
import type { DeskActions } from '../../desk.ts';
import type { Attachment } from '../../state/model.ts';
import { type FileProblem, type FileRules, findFileProblem } from './file-rules.ts';

/** A file that was added to a message that is being written. */
export interface Upload {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  /** The address of the picture in this page. Undefined if it is none, or is not sent. */
  readonly preview: string | undefined;
  /** From 0 to 1. */
  readonly share: number;
  /** Set when the file is stored. */
  readonly attachment: Attachment | undefined;
  readonly problem: Problem | undefined;
}

export type Problem = FileProblem | { readonly kind: 'failed'; readonly failure: Failure };

const NONE: readonly Upload[] = [];

/** The uploads of all conversations: they go on while another conversation is in sight. */
export class Uploads {
  readonly #upload: DeskActions['upload'];
  readonly #listeners = new Set<() => void>();
  readonly #lists = new Map<string, readonly Upload[]>();
  readonly #cancels = new Map<string, AbortController>();

  constructor(upload: DeskActions['upload']) {
    this.#upload = upload;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get(conversationId: string): readonly Upload[] {
    return this.#lists.get(conversationId) ?? NONE;
  }

  /** Starts to upload the files, except those that the service would refuse. */
  add(conversationId: string, files: readonly File[], rules: FileRules): void {
    for (const file of files) {
      const problem = findFileProblem(file, rules);
      const upload: Upload = {
        key: crypto.randomUUID(),
        name: file.name,
        size: file.size,
        preview: problem === undefined && file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined,
        share: 0,
        attachment: undefined,
        problem,
      };
      this.#set(conversationId, [...this.get(conversationId), upload]);
      if (problem === undefined) this.#start(conversationId, upload.key, file);
    }
  }

  /** Also cancels it. */
  remove(conversationId: string, key: string): void {
    this.#cancels.get(key)?.abort();
    this.#drop(conversationId, (upload) => upload.key === key);
  }

  /** Removes and returns the files that are stored. */
  takeStored(conversationId: string): readonly Attachment[] {
    const all = this.get(conversationId);
    this.#drop(conversationId, ({ attachment }) => attachment !== undefined);
    return all.flatMap(({ attachment }) => attachment ?? []);
  }

  async #start(conversationId: string, key: string, file: File): Promise<void> {
    const cancel = new AbortController();
    this.#cancels.set(key, cancel);
    const answer: Answer<Attachment> = await this.#upload(conversationId, file, {
      onProgress: (share) => this.#change(conversationId, key, { share }),
      signal: cancel.signal,
    });
    this.#cancels.delete(key);
    if (answer.ok) this.#change(conversationId, key, { share: 1, attachment: answer.value });
    else this.#change(conversationId, key, { problem: { kind: 'failed', failure: answer.failure } });
  }

  #drop(conversationId: string, isDropped: (upload: Upload) => boolean): void {
    const all = this.get(conversationId);
    for (const upload of all) if (upload.preview && isDropped(upload)) URL.revokeObjectURL(upload.preview);
    this.#set(
      conversationId,
      all.filter((upload) => !isDropped(upload)),
    );
  }

  #change(conversationId: string, key: string, change: Partial<Upload>): void {
    this.#set(
      conversationId,
      this.get(conversationId).map((upload) => (upload.key === key ? { ...upload, ...change } : upload)),
    );
  }

  #set(conversationId: string, uploads: readonly Upload[]): void {
    this.#lists.set(conversationId, uploads);
    for (const listener of this.#listeners) listener();
  }
}

export function isRunning({ attachment, problem }: Upload): boolean {
  return attachment === undefined && problem === undefined;
}
