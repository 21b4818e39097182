import { ApiClient } from './api-client.ts';
import { EVENTS } from './documents.ts';
import { type Entry, Journal } from './journal.ts';
import type { Setup } from './setup.ts';

/** An event of the log, as an admin reads it. */
interface LogEvent {
  readonly position: string;
  readonly type: string;
  readonly at: string;
  readonly subject: { readonly type: string; readonly id: string };
  readonly values: { readonly sequence?: number };
}

interface LogPage {
  readonly nodes: readonly LogEvent[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/**
 * Adds the positions of the log to the events and streams of visitors, who receive encrypted ones. An event that the
 * log does not have keeps the position 0, which a check reports.
 */
export async function locateVisitorEvents(setup: Setup, entries: readonly Entry[]): Promise<void> {
  const positions = await readPositions(setup);
  const lastPositions = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== 'event_received' && entry.kind !== 'stream_opened') continue;
    if (!entry.participant.startsWith('visitor')) continue;
    if (entry.kind === 'stream_opened') {
      entry.after = lastPositions.get(entry.participant) ?? 0;
      continue;
    }
    const { conversation, type, serverAt, message } = entry;
    entry.position = positions.get(toKey(conversation, type, serverAt, message?.sequence)) ?? 0;
    lastPositions.set(entry.participant, entry.position);
  }
}

/** The positions of all events about conversations since the start of the run. */
async function readPositions({ admin, position }: Setup): Promise<ReadonlyMap<string, number>> {
  const { client, path, token } = admin;
  const reader = new ApiClient(client, new Journal(), 'admin', { path, token }); // not a part of the run
  const positions = new Map<string, number>();
  for (let after: string | null = position; after !== null; ) {
    const page = await readPage(reader, after);
    for (const { position, type, at, subject, values } of page.nodes) {
      if (subject.type !== 'conversation') continue;
      const sequence = type === 'message.created' ? values.sequence : undefined;
      positions.set(toKey(Number(subject.id), type, Date.parse(at), sequence), Number(position));
    }
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  }
  return positions;
}

async function readPage(reader: ApiClient, after: string): Promise<LogPage> {
  const result = await reader.execute<LogPage>({ operation: 'events', query: EVENTS, variables: { after } });
  if (result.outcome !== 'done') throw new Error(`The event log could not be read: ${result.code}, ${result.message}`);
  return result.data;
}

function toKey(conversation: number | null, type: string, at: number, sequence: number | undefined): string {
  return `${conversation} ${type} ${at} ${sequence ?? ''}`;
}
