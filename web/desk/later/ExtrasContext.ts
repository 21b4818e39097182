import { createContext, use } from 'react';
import type { LaterPart } from '../../shared/page/later-part.ts';
import type * as extras from './extras.ts';

export type Extras = typeof extras;

/** What opens on a click, for views that are in a later part themselves. */
export const ExtrasContext = createContext<LaterPart<Extras> | undefined>(undefined);

export function useExtras(): LaterPart<Extras> {
  const part = use(ExtrasContext);
  if (part === undefined) throw new Error('The view is outside of a desk.');
  return part;
}
