import type { Failure } from '../../shared/api/request.ts';
import { Button } from '../../shared/components/Button.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { RingFrame } from '../../shared/frame/RingFrame.tsx';
import { useWait } from '../../shared/frame/useWait.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { loginTexts } from '../texts.ts';

/** The service did not answer, so the link is neither used nor refused. */
export function LinkFailed({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  const t = useTexts(loginTexts);
  const common = useTexts(commonTexts);
  const wait = useWait(failure);
  return (
    <RingFrame title={t('logIn')} ringTime={wait.ringTime} isRingEnding>
      <FailureBanner failure={failure} wait={wait} />
      <Button kind="primary" onPress={onRetry} isDisabled={wait.secondsLeft > 0}>
        {common('tryAgain')}
      </Button>
    </RingFrame>
  );
}
