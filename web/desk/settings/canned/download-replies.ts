import { exportReplies } from './export-file.ts';
import type { OwnedReply } from './reply.ts';

export function downloadReplies(replies: readonly OwnedReply[]): void {
  const address = URL.createObjectURL(new Blob([exportReplies(replies)], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'canned-replies.csv';
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
