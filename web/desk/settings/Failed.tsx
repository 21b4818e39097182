import type { Failure } from '../../shared/api/request.ts';
import { Button } from '../../shared/components/Button.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { useWait } from '../../shared/frame/useWait.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';

/** Why something was not read or saved, and the way to try again. */
export function Failed({ failure, onRetry }: { readonly failure: Failure | undefined; readonly onRetry: () => void }) {
  const common = useTexts(commonTexts);
  const wait = useWait(failure);
  if (failure === undefined) return null;
  return (
    <div className="settings-failure">
      <FailureBanner failure={failure} wait={wait} />
      {failure.kind !== 'loggedOut' && <Button onPress={onRetry}>{common('tryAgain')}</Button>}
    </div>
  );
}
