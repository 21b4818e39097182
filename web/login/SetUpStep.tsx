import { useCallback, useEffect, useState } from 'react';
import type { Failure } from '../shared/api/request.ts';
import { Button } from '../shared/components/Button.tsx';
import { FailureBanner } from '../shared/frame/FailureBanner.tsx';
import { RingFrame } from '../shared/frame/RingFrame.tsx';
import { useWait } from '../shared/frame/useWait.ts';
import { commonTexts } from '../shared/texts/common.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { SetUp } from '../shared/two-factor/SetUp.tsx';
import { type AppSecret, startSetUp } from '../shared/two-factor/set-up.ts';
import { loginTexts } from './texts.ts';

interface SetUpStepProps {
  readonly onDone: () => void;
  readonly onLoggedOut: () => void;
}

/** For an operator whose account requires two-factor and who has not set it up. Loaded only then. */
export function SetUpStep({ onDone, onLoggedOut }: SetUpStepProps) {
  const t = useTexts(loginTexts);
  const common = useTexts(commonTexts);
  const [app, setApp] = useState<AppSecret>();
  const [failure, setFailure] = useState<Failure>();
  const wait = useWait(failure);
  const load = useCallback(async () => {
    const answer = await startSetUp({});
    if (answer.ok) setApp(answer.value);
    else if (answer.failure.kind === 'loggedOut') onLoggedOut();
    else setFailure(answer.failure);
  }, [onLoggedOut]);
  useEffect(() => {
    load();
  }, [load]);
  if (app) {
    return (
      <SetUp
        app={app}
        onDone={onDone}
        onLoggedOut={onLoggedOut}
        frame={({ title, introduction, children }) => (
          <RingFrame title={title} introduction={introduction} isTitleFocused key={title}>
            {children}
          </RingFrame>
        )}
      />
    );
  }
  if (failure === undefined) return null;
  return (
    <RingFrame title={t('setUpTitle')} ringTime={wait.ringTime} isRingEnding>
      <FailureBanner failure={failure} wait={wait} />
      <Button kind="primary" onPress={load} isDisabled={wait.secondsLeft > 0}>
        {common('tryAgain')}
      </Button>
    </RingFrame>
  );
}
