import { fold } from '../../../shared/format/fold.ts';
import type { Named } from '../../state/model.ts';

const MOST = 50;

/** The tags that can still be added: first those that begin with what was typed. */
export function findTags(all: readonly Named[], present: readonly Named[], typed: string): readonly Named[] {
  const text = fold(typed.trim());
  const isPresent = new Set(present.map(({ id }) => id));
  return all
    .filter(({ id, name }) => !isPresent.has(id) && fold(name).includes(text))
    .toSorted((a, b) => Number(fold(b.name).startsWith(text)) - Number(fold(a.name).startsWith(text)))
    .slice(0, MOST);
}
