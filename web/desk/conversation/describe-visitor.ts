import type { Translate } from '../../shared/texts/texts.ts';
import { findShortName, nameVisitor } from '../frame/visitor-name.ts';
import type { DeskVisitor } from '../state/model.ts';
import type { en } from './texts/en.ts';

/** The name of a visitor. `short` is how one speaks of them. */
export function describeVisitor(
  visitor: DeskVisitor | null,
  t: Translate<typeof en>,
  length: 'full' | 'short' = 'full',
): string {
  if (visitor === null) return t('visitor');
  const shortName = length === 'short' ? findShortName(visitor) : '';
  return shortName || nameVisitor(visitor, (id) => t('visitorNumber', { id }));
}
