/** Limits in bytes, compressed with Brotli, of what a browser loads at once: the file and those that it imports. */
export const BUDGETS: Readonly<Record<string, number>> = {
  'widget.js': 3_000,
  'panel.js': 14_000,
  /** Loaded when a conversation starts. Counts what the panel has loaded before: it imports 8 kB of it. */
  'conversation.js': 20_000,
  'login.html': 90_000,
  /** With the font, the answers and all headers, 200 kB arrive until the desk is shown. */
  'desk.html': 140_000,
};

export interface LoadedSize {
  readonly entry: string;
  /** Compressed, with all files that the entry imports statically. */
  readonly brotliBytes: number;
}

/** Returns a message for every entry that is over its budget. */
export function findExceededBudgets(sizes: readonly LoadedSize[], budgets = BUDGETS): string[] {
  return sizes.flatMap(({ entry, brotliBytes }) => {
    const budget = budgets[entry];
    if (budget === undefined || brotliBytes <= budget) return [];
    return [`${entry} has ${format(brotliBytes)} bytes compressed, its budget is ${format(budget)} bytes.`];
  });
}

function format(bytes: number): string {
  return bytes.toLocaleString('en');
}
