import { useCallback } from 'react';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import type { DeskVisitor } from '../state/model.ts';
import { frameTexts } from './texts.ts';
import { nameVisitor } from './visitor-name.ts';

export function useVisitorName(): (visitor: DeskVisitor | null) => string {
  const t = useTexts(frameTexts);
  return useCallback((visitor) => nameVisitor(visitor, (id) => t('visitorNumber', { id }).trim()), [t]);
}
