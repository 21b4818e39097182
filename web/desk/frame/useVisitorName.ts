import { useCallback } from 'react';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import type { DeskVisitor } from '../state/model.ts';
import { frameTexts } from './texts.ts';
import { findShortName, nameVisitor } from './visitor-name.ts';

/** The name of a visitor. `short` is how one speaks of them. */
type NameVisitor = (visitor: DeskVisitor | null, length?: 'short') => string;

export function useVisitorName(): NameVisitor {
  const t = useTexts(frameTexts);
  return useCallback<NameVisitor>(
    (visitor, length) => {
      const shortName = visitor !== null && length === 'short' ? findShortName(visitor) : '';
      return shortName || nameVisitor(visitor, (id) => t('visitorNumber', { id }).trim());
    },
    [t],
  );
}
