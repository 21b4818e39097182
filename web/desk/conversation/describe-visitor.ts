import type { Translate } from '../../shared/texts/texts.ts';
import { findShortName } from '../frame/visitor-name.ts';
import type { DeskVisitor } from '../state/model.ts';
import type { en } from './texts/en.ts';

/** The name of a visitor. `short` is how one speaks of them. */
export function describeVisitor(
  visitor: DeskVisitor | null,
  t: Translate<typeof en>,
  length: 'full' | 'short' = 'full',
): string {
  if (visitor === null) return t('visitor');
  const { id, firstname, lastname, email } = visitor;
  const name = length === 'short' ? findShortName(visitor) : `${firstname} ${lastname}`.trim();
  return name || email || t('visitorNumber', { id });
}
