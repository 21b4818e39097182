import { DomainError } from '../kernel/errors.ts';

/** Throws if other rows still reference a row that is to be deleted. `uses` counts the references. */
export function requireUnused(kind: string, id: number, uses: Readonly<Record<string, number>>): void {
  const used = Object.entries(uses).filter(([, count]) => count > 0);
  if (used.length === 0) return;
  const list = used.map(([user, count]) => `${user} (${count})`).join(', ');
  throw new DomainError('conflict', `The ${kind} ${id} is in use: ${list}.`);
}
