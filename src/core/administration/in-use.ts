import { DomainError } from '../kernel/errors.ts';

/** Refuses to delete a row that others still reference, and counts the references. */
export function requireUnused(kind: string, id: number, uses: Readonly<Record<string, number>>): void {
  const used = Object.entries(uses).filter(([, count]) => count > 0);
  if (used.length === 0) return;
  const list = used.map(([user, count]) => `${user} (${count})`).join(', ');
  throw new DomainError('conflict', `The ${kind} ${id} is in use: ${list}.`);
}
