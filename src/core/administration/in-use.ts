import { DomainError } from '../kernel/errors.ts';

/** Refuses the delete of what something else still points at, and says how much that is. */
export function refuseInUse(thing: string, id: number, uses: Readonly<Record<string, number>>): void {
  const used = Object.entries(uses).filter(([, count]) => count > 0);
  if (used.length === 0) return;
  const list = used.map(([what, count]) => `${what} (${count})`).join(', ');
  throw new DomainError('conflict', `The ${thing} ${id} is in use: ${list}.`);
}
