import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { Answer, Failure } from '../shared/api/request.ts';
import type { Credentials, Session, SessionOptions } from '../shared/api/session.ts';
import { Banner } from '../shared/components/Banner.tsx';
import { Button } from '../shared/components/Button.tsx';
import { ALERT, TIMER } from '../shared/components/icons.ts';
import { PasswordField } from '../shared/components/PasswordField.tsx';
import { TextField } from '../shared/components/TextField.tsx';
import { formatCountdown } from '../shared/format/countdown.ts';
import { RingFrame } from '../shared/frame/RingFrame.tsx';
import { useWait } from '../shared/frame/useWait.ts';
import { commonTexts } from '../shared/texts/common.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { loginTexts } from './texts.ts';

interface PasswordStepProps {
  readonly options: SessionOptions | undefined;
  readonly hasSessionEnded: boolean;
  readonly logIn: (credentials: Credentials) => Promise<Answer<Session>>;
  readonly onLogIn: (session: Session) => void;
}

export function PasswordStep({ options, hasSessionEnded, logIn, onLogIn }: PasswordStepProps) {
  const t = useTexts(loginTexts);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const wait = useWait(failure);
  const emailInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  useEffect(() => emailInput.current?.focus(), []);

  const isWrong = failure?.kind === 'refused' && failure.code === 'invalid_grant';
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isPending || wait.secondsLeft > 0) return;
    setSubmitted(true);
    const mistake = email.trim() === '' ? emailInput : password === '' ? passwordInput : undefined;
    if (mistake) return mistake.current?.focus();
    setPending(true);
    const answer = await logIn({ email: email.trim(), password });
    setPending(false);
    if (answer.ok) return onLogIn(answer.value);
    setFailure(answer.failure);
    if (answer.failure.kind === 'refused') passwordInput.current?.select();
  };
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    if (isWrong) setFailure(undefined);
  };

  return (
    <RingFrame
      title={t('logIn')}
      introduction={options?.accountName ? t('welcome', { name: options.accountName }) : undefined}
      ringTime={wait.ringTime}
      isRingEnding
    >
      <form className="form" method="post" noValidate onSubmit={submit}>
        <Notice failure={failure} secondsLeft={wait.secondsLeft} hasSessionEnded={hasSessionEnded} />
        <TextField
          label={t('email')}
          name="username"
          type="email"
          autoComplete="username"
          maxLength={254}
          value={email}
          onChange={change(setEmail)}
          inputRef={emailInput}
          error={isSubmitted && email.trim() === '' ? t('emailMissing') : undefined}
        />
        <PasswordField
          label={t('password')}
          name="password"
          autoComplete="current-password"
          maxLength={1024}
          value={password}
          onChange={change(setPassword)}
          inputRef={passwordInput}
          error={isWrong ? t('wrongPassword') : isSubmitted && password === '' ? t('passwordMissing') : undefined}
        />
        <Button kind="primary" type="submit" isPending={isPending} isDisabled={wait.secondsLeft > 0}>
          {wait.secondsLeft > 0 ? t('tryAgainIn', { time: formatCountdown(wait.secondsLeft) }) : t('logIn')}
        </Button>
      </form>
      <p className="ring-frame-help small">{t('forgotPassword')}</p>
    </RingFrame>
  );
}

interface NoticeProps {
  readonly failure: Failure | undefined;
  readonly secondsLeft: number;
  readonly hasSessionEnded: boolean;
}

function Notice({ failure, secondsLeft, hasSessionEnded }: NoticeProps) {
  const t = useTexts(loginTexts);
  const common = useTexts(commonTexts);
  if (failure?.kind === 'limited' && secondsLeft > 0)
    return (
      <Banner icon={TIMER} role="alert" title={t('limitedTitle')}>
        {t('limited', { time: formatCountdown(secondsLeft) })}
      </Banner>
    );
  if (failure?.kind === 'unreachable')
    return (
      <Banner icon={ALERT} kind="danger" role="alert" title={common('unreachableTitle')}>
        {common('unreachable')}
      </Banner>
    );
  if (failure?.kind === 'refused' && failure.code !== 'invalid_grant')
    return (
      <Banner icon={ALERT} kind="danger" role="alert" title={t('refusedTitle')}>
        <span lang="en">{failure.description}</span>
      </Banner>
    );
  if (failure === undefined && hasSessionEnded)
    return (
      <Banner icon={TIMER} title={t('sessionEndedTitle')}>
        {t('sessionEnded')}
      </Banner>
    );
  return null;
}
