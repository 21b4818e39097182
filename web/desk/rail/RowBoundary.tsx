import type { ReactNode } from 'react';
import { FaultBoundary } from '../../shared/page/FaultBoundary.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { RouteLink } from '../frame/RouteLink.tsx';
import { toConversation } from '../frame/route.ts';
import { railTexts } from './texts.ts';

interface RowBoundaryProps {
  readonly conversationId: string;
  readonly children: ReactNode;
}

/** A row or card that cannot be drawn is still a way to its conversation. */
export function RowBoundary({ conversationId, children }: RowBoundaryProps) {
  return (
    <FaultBoundary part="desk: rail" fallback={() => <PlainRow conversationId={conversationId} />}>
      {children}
    </FaultBoundary>
  );
}

function PlainRow({ conversationId }: Pick<RowBoundaryProps, 'conversationId'>) {
  const t = useTexts(railTexts);
  return (
    <RouteLink className="conversation-row" to={toConversation(conversationId)} data-row={conversationId}>
      {t('conversationNumber', { id: conversationId })}
    </RouteLink>
  );
}
