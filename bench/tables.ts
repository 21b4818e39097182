import { table } from '../src/commands/table.ts';

/** A table with its title, unless it is empty. */
export function section(title: string, [head = [], ...rows]: readonly (readonly string[])[]): void {
  if (rows.length > 0) console.log(`\n${title}\n\n${table(head, rows)}`);
}

export function verdict(reached: boolean): string {
  return reached ? 'reached' : 'NOT REACHED';
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
