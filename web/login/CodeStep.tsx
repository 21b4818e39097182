import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { Answer } from '../shared/api/request.ts';
import type { Session } from '../shared/api/session.ts';
import { Button } from '../shared/components/Button.tsx';
import { CodeField } from '../shared/components/CodeField.tsx';
import { TextField } from '../shared/components/TextField.tsx';
import { FailureBanner } from '../shared/frame/FailureBanner.tsx';
import { RingFrame } from '../shared/frame/RingFrame.tsx';
import { SubmitButton } from '../shared/frame/SubmitButton.tsx';
import { useAttempt } from '../shared/frame/useAttempt.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { useCodePeriod } from '../shared/two-factor/useCodePeriod.ts';
import { loginTexts } from './texts.ts';

interface CodeStepProps {
  readonly logIn: (code: string) => Promise<Answer<Session>>;
  readonly onLogIn: (session: Session) => void;
  readonly onBack: () => void;
  /** The password was changed meanwhile. */
  readonly onPasswordRefused: () => void;
}

/** The second factor: the code of the app, or a recovery code. */
export function CodeStep({ logIn, onLogIn, onBack, onPasswordRefused }: CodeStepProps) {
  const t = useTexts(loginTexts);
  const [isRecovery, setRecovery] = useState(false);
  const [code, setCode] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(logIn, onLogIn);
  const period = useCodePeriod();
  const input = useRef<HTMLInputElement>(null);
  // The other field gets the focus as well.
  useEffect(() => input.current?.focus(), [isRecovery]);

  const isIncomplete = isRecovery ? code.trim() === '' : code.length < 6;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (isIncomplete) return input.current?.focus();
    const problem = await start(code.trim());
    if (problem?.kind === 'refused' && problem.code === 'invalid_grant') return onPasswordRefused();
    if (problem?.kind !== 'refused') return;
    // The next code of the app is another one; a recovery code can have a typing mistake.
    if (isRecovery) input.current?.select();
    else setCode('');
  };
  const change = (text: string) => {
    setCode(text);
    setSubmitted(false);
    forgetFailure();
  };
  const isWrong = failure?.kind === 'refused' && failure.code === 'mfa_required';
  const findError = (missing: string, wrong: string) =>
    isWrong ? wrong : isSubmitted && isIncomplete ? missing : undefined;

  return (
    <RingFrame
      title={isRecovery ? t('recoveryTitle') : t('codeTitle')}
      introduction={isRecovery ? t('recoveryHint') : t('codeHint', { seconds: period.secondsLeft })}
      ringTime={wait.ringTime ?? (isRecovery ? undefined : period.ringTime)}
      isRingEnding={wait.ringTime !== undefined}
    >
      <FailureBanner failure={failure} wait={wait} explained={['mfa_required', 'invalid_grant']} />
      <form className="form" method="post" noValidate onSubmit={submit}>
        {isRecovery ? (
          <TextField
            label={t('recoveryCode')}
            name="recovery-code"
            autoComplete="off"
            spellCheck={false}
            maxLength={32}
            value={code}
            onChange={change}
            inputRef={input}
            autoCapitalize="none"
            error={findError(t('recoveryMissing'), t('wrongRecoveryCode'))}
          />
        ) : (
          <CodeField
            label={t('code')}
            value={code}
            onChange={change}
            inputRef={input}
            error={findError(t('codeMissing'), t('wrongCode'))}
          />
        )}
        <SubmitButton label={t('proceed')} isPending={isPending} wait={wait} />
      </form>
      <Button
        kind="quiet"
        onPress={() => {
          setRecovery(!isRecovery);
          change('');
        }}
      >
        {isRecovery ? t('useApp') : t('useRecoveryCode')}
      </Button>
      <Button kind="quiet" onPress={onBack}>
        {t('back')}
      </Button>
      {isRecovery && <p className="ring-frame-help small">{t('lostDevice')}</p>}
    </RingFrame>
  );
}
