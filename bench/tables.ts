import { formatTable } from '../src/commands/table.ts';

/** Prints a table with its title, unless it is empty. */
export function printSection(title: string, [head = [], ...rows]: readonly (readonly string[])[]): void {
  if (rows.length > 0) console.log(`\n${title}\n\n${formatTable(head, rows)}`);
}

export function verdict(isReached: boolean): string {
  return isReached ? 'reached' : 'NOT REACHED';
}

export function formatInteger(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function formatMs(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
