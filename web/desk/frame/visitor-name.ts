import { fold } from '../../shared/format/fold.ts';
import type { DeskVisitor } from '../state/model.ts';

/** The name of a visitor, else the address, else their number. */
export function nameVisitor(visitor: DeskVisitor | null, nameNumber: (id: string) => string): string {
  if (visitor === null) return nameNumber('');
  const name = `${visitor.firstname} ${visitor.lastname}`.trim();
  return name || visitor.email || nameNumber(visitor.id);
}

/** As it fits into a sentence. */
const SHORT_LENGTH = 24;

/** How one speaks of a visitor: by the first name. Empty if they have no name. */
export function findShortName({ firstname, lastname }: Pick<DeskVisitor, 'firstname' | 'lastname'>): string {
  // Forms with one field for the name put all of it into the first one.
  const first = lastname.trim() === '' ? firstname.trim().split(/\s+/)[0] : firstname.trim();
  const name = first || lastname.trim();
  return name.length > SHORT_LENGTH ? `${name.slice(0, SHORT_LENGTH).trim()}…` : name;
}

/** What the search field finds: the name and the address, regardless of case and accents. */
export function matchesVisitor(visitor: DeskVisitor | null, filter: string): boolean {
  const wanted = fold(filter.trim());
  if (wanted === '') return true;
  if (visitor === null) return false;
  return fold(`${visitor.firstname} ${visitor.lastname} ${visitor.email} ${visitor.id}`).includes(wanted);
}
