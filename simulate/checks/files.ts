import type { FileReceived, FileSent, MessagesRead } from '../journal.ts';
import type { Check, Problem } from './check.ts';

/** A file that a visitor sent is in the message, and an operator downloads the same bytes. */
export const files: Check = {
  name: 'files arrived whole',
  findProblems: (_timeline, entries) => {
    const sent = new Map(entries.flatMap((entry) => (entry.kind === 'file_sent' ? [[entry.id, entry] as const] : [])));
    const received = entries.filter((entry) => entry.kind === 'file_received');
    const lastRead = new Map<number, MessagesRead>();
    for (const entry of entries) if (entry.kind === 'messages_read') lastRead.set(entry.conversation, entry);
    return [
      ...received.flatMap((entry) => findDifference(entry, sent.get(entry.id))),
      ...[...sent.values()].flatMap((entry) => findLoss(entry, lastRead.get(entry.conversation))),
    ];
  },
};

function findDifference({ id, participant, status, size, sha256, at }: FileReceived, sent: FileSent | undefined) {
  const report = (message: string): Problem[] => [{ message: `file ${id} of ${participant}: ${message}`, at }];
  if (status === null || !sent) return []; // no response to the download, or to the message
  if (status !== 200) return report(`the download was answered with ${status}`);
  if (size !== sent.size) return report(`has ${size} bytes instead of ${sent.size}`);
  return sha256 === sent.sha256 ? [] : report('has other content');
}

function findLoss({ id, conversation, sequence, size, at }: FileSent, read: MessagesRead | undefined): Problem[] {
  if (!read) return [];
  const message = read.messages.find((one) => one.sequence === sequence);
  if (message?.attachments?.some((file) => file.id === id && file.size === size)) return [];
  return [{ message: `conversation ${conversation}: message ${sequence} lost its file ${id}`, at }];
}
