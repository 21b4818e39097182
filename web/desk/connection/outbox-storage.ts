import { listStored, readStored, writeStored } from '../../shared/stored.ts';
import type { PendingMessage } from '../state/model.ts';

export interface OutboxEntry extends PendingMessage {
  readonly conversationId: string;
}

/** What was not sent for a week is about nothing that goes on. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;
const MAX_ENTRIES = 500;

/**
 * Keeps the outbox of an operator in this browser. Each entry has a key of its own, so that several tabs do not overwrite
 * those of each other.
 */
export class OutboxStorage {
  readonly #prefix: string;

  constructor(owner: string) {
    this.#prefix = `outbox:${owner}:`;
  }

  /** In the order of writing. */
  read(now: number): OutboxEntry[] {
    const entries = listStored(this.#prefix).flatMap((key) => {
      const entry = parseEntry(readStored(key));
      if (entry && now - Date.parse(entry.at) < MAX_AGE_MS) return [entry];
      writeStored(key, null);
      return [];
    });
    const sorted = entries.sort((first, second) => (first.at < second.at ? -1 : 1));
    for (const { clientId } of sorted.slice(0, -MAX_ENTRIES)) this.remove(clientId);
    return sorted.slice(-MAX_ENTRIES);
  }

  write(entry: OutboxEntry): void {
    // The address of a preview ends with the page.
    const attachments = entry.attachments.map((each) => (each.url.startsWith('blob:') ? { ...each, url: '' } : each));
    writeStored(this.#prefix + entry.clientId, JSON.stringify({ ...entry, attachments }));
  }

  has(clientId: string): boolean {
    return readStored(this.#prefix + clientId) !== null;
  }

  remove(clientId: string): void {
    writeStored(this.#prefix + clientId, null);
  }
}

function parseEntry(text: string | null): OutboxEntry | undefined {
  try {
    return JSON.parse(text ?? '') as OutboxEntry;
  } catch {
    return undefined;
  }
}
