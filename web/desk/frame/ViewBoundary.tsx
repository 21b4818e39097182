import type { ReactNode } from 'react';
import { Banner } from '../../shared/components/Banner.tsx';
import { Button } from '../../shared/components/Button.tsx';
import { ALERT } from '../../shared/components/icons.ts';
import { FaultBoundary } from '../../shared/page/FaultBoundary.tsx';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { frameTexts } from './texts.ts';

interface ViewBoundaryProps {
  /** Names the view in the log of the service. */
  readonly view: string;
  readonly children: ReactNode;
}

/** A view that cannot be drawn says so in its place; everything beside it goes on. */
export function ViewBoundary({ view, children }: ViewBoundaryProps) {
  return (
    <FaultBoundary part={`desk: ${view}`} fallback={(retry) => <ViewFault onRetry={retry} />}>
      {children}
    </FaultBoundary>
  );
}

function ViewFault({ onRetry }: { readonly onRetry: () => void }) {
  const t = useTexts(frameTexts);
  const common = useTexts(commonTexts);
  return (
    <div className="page-failure">
      <Banner icon={ALERT} kind="danger" role="alert" title={t('viewFaultTitle')}>
        {t('viewFault')}
      </Banner>
      <Button onPress={onRetry}>{common('tryAgain')}</Button>
    </div>
  );
}
