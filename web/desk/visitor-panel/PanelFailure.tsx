import type { Failure } from '../../shared/api/request.ts';
import { Button } from '../../shared/components/Button.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { useWait } from '../../shared/frame/useWait.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';

/** Why a part of the panel could not be read, and the way to try again. */
export function PanelFailure({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  const common = useTexts(commonTexts);
  const wait = useWait(failure);
  return (
    <div className="panel-failure">
      <FailureBanner failure={failure} wait={wait} />
      {failure.kind !== 'loggedOut' && <Button onPress={onRetry}>{common('tryAgain')}</Button>}
    </div>
  );
}

export function PanelSkeleton({ widths }: { readonly widths: readonly string[] }) {
  return (
    <div className="panel-skeleton" aria-busy="true">
      {widths.map((width) => (
        <span className="skeleton" key={width} style={{ '--skeleton': width } as object} />
      ))}
    </div>
  );
}
