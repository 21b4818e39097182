import { useCallback, useEffect, useState } from 'react';
import type { Failure } from '../shared/api/request.ts';
import { logOut, readSession } from '../shared/api/session.ts';
import { Button } from '../shared/components/Button.tsx';
import { FailureBanner } from '../shared/frame/FailureBanner.tsx';
import { RingFrame } from '../shared/frame/RingFrame.tsx';
import { useAttempt } from '../shared/frame/useAttempt.ts';
import { useWait } from '../shared/frame/useWait.ts';
import { commonTexts } from '../shared/texts/common.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { SetUp } from '../shared/two-factor/SetUp.tsx';
import { type AppSecret, startSetUp } from '../shared/two-factor/set-up.ts';
import { twoFactorTexts } from '../shared/two-factor/texts.ts';
import { loginTexts } from './texts.ts';

interface SetUpStepProps {
  readonly onDone: () => void;
  /** Two-factor is on, but no one has seen the recovery codes. */
  readonly onEnded: () => void;
  readonly onLoggedOut: () => void;
}

/** For an operator whose account requires two-factor and who has not set it up. Loaded only then. */
export function SetUpStep({ onDone, onEnded, onLoggedOut }: SetUpStepProps) {
  const t = useTexts(loginTexts);
  const common = useTexts(commonTexts);
  const twoFactor = useTexts(twoFactorTexts);
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
  const begin = useCallback(async () => {
    const answer = await readSession();
    if (answer.ok && answer.value.authenticated && !answer.value.mustSetUpTwoFactor) onEnded();
    else load();
  }, [load, onEnded]);
  const leaving = useAttempt(logOut, onLoggedOut);
  if (app) {
    return (
      <SetUp
        app={app}
        key={app.secret}
        onDone={onDone}
        onEnded={begin}
        onLoggedOut={onLoggedOut}
        frame={({ title, introduction, children }) => (
          <RingFrame
            title={title}
            introduction={
              <>
                {twoFactor('required')} {introduction}
              </>
            }
            isTitleFocused
            key={title}
          >
            {children}
            <FailureBanner failure={leaving.failure} wait={leaving.wait} />
            <Button kind="quiet" onPress={() => leaving.start(undefined)} isPending={leaving.isPending}>
              {common('logOut')}
            </Button>
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
