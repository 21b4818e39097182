import { createId } from '../chat.ts';
import type { Upload } from '../state/state.ts';
import type { Context } from './context.ts';
import type { Outbox } from './outbox.ts';
import { uploadFile } from './service/upload.ts';
import { formatSize } from './times.ts';

const MAX_FILES = 10;

/** The files that wait above the field, until they are sent with a message. */
export class Uploads {
  readonly #context: Context;
  readonly #outbox: Outbox;
  readonly #running = new Map<string, AbortController>();

  constructor(context: Context, outbox: Outbox) {
    this.#context = context;
    this.#outbox = outbox;
  }

  add(files: Iterable<File>): void {
    const { chat } = this.#context;
    for (const file of files) if (chat.state.uploads.length < MAX_FILES) this.#upload(file);
  }

  remove(key: string): void {
    this.#running.get(key)?.abort();
    this.#running.delete(key);
    this.#context.apply({ type: 'removed', key });
    this.#sendIfComplete();
  }

  /** Sends the text with the files; waits for those that are still on their way. */
  send(): void {
    const { chat } = this.#context;
    const { draft, uploads } = chat.state;
    const files = uploads.flatMap(({ id, name, size }) => (id ? [{ id, name, size }] : []));
    if (uploads.some(isRunning)) chat.set({ sendsAfterUploads: true });
    else if (draft.trim() !== '' || files.length > 0) {
      chat.set({ draft: '', problem: '', sendsAfterUploads: false, uploads: uploads.filter(({ problem }) => problem) });
      this.#context.apply({ type: 'queued', message: { clientId: createId(), text: draft, at: Date.now(), files } });
      this.#outbox.flush();
    }
  }

  async #upload(file: File): Promise<void> {
    const { chat, session } = this.#context;
    const { conversation, settings } = chat.state;
    const controller = new AbortController();
    const { name, size, type } = file;
    let upload: Upload = { key: createId(), name, size, isImage: type.startsWith('image/'), sent: 0 };
    const show = (changes: Partial<Upload>) => {
      upload = { ...upload, ...changes };
      if (!controller.signal.aborted) this.#context.apply({ type: 'uploading', upload });
    };
    const max = settings.maxAttachmentBytes;
    const tooLarge = () => show({ problem: chat.text('fileTooLarge', { size: formatSize(max, chat.locale) }) });
    if (size > max || !conversation) return tooLarge();
    this.#running.set(upload.key, controller);
    show({});
    const result = await uploadFile(file, {
      ...{ service: chat.host.service, session, conversationId: conversation.id, signal: controller.signal },
      onProgress: (bytes) => show({ sent: Math.min(bytes, size) }),
    }).catch(() => ({ status: 0 }));
    this.#running.delete(upload.key);
    if ('id' in result) show({ id: result.id, sent: size });
    else if (result.status === 413) tooLarge();
    else show({ problem: chat.text(result.status === 415 ? 'fileRefused' : 'fileNotSent') });
    this.#sendIfComplete();
  }

  #sendIfComplete(): void {
    const { sendsAfterUploads, uploads } = this.#context.chat.state;
    if (sendsAfterUploads && !uploads.some(isRunning)) this.send();
  }
}

function isRunning({ id, problem }: Upload): boolean {
  return id === undefined && problem === undefined;
}
