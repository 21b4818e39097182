import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { Answer } from '../shared/api/request.ts';
import type { Credentials, Session, SessionOptions } from '../shared/api/session.ts';
import { Icon } from '../shared/components/Icon.tsx';
import { KEY } from '../shared/components/icons.ts';
import { PasswordField } from '../shared/components/PasswordField.tsx';
import { TextField } from '../shared/components/TextField.tsx';
import { FailureBanner } from '../shared/frame/FailureBanner.tsx';
import { RingFrame } from '../shared/frame/RingFrame.tsx';
import { SubmitButton } from '../shared/frame/SubmitButton.tsx';
import { useAttempt } from '../shared/frame/useAttempt.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { loginTexts } from './texts.ts';

interface PasswordStepProps {
  readonly options: SessionOptions | undefined;
  /** Why one has to log in, until the first attempt. */
  readonly notice: ReactNode;
  readonly credentials: Credentials;
  readonly onChange: (credentials: Credentials) => void;
  readonly logIn: (credentials: Credentials) => Promise<Answer<Session>>;
  readonly onLogIn: (session: Session) => void;
  readonly onCodeRequired: () => void;
}

/** E-mail and password. They stay as typed, whatever happens to the request. */
export function PasswordStep(props: PasswordStepProps) {
  const { options, notice, credentials, onChange, logIn, onLogIn, onCodeRequired } = props;
  const { email, password } = credentials;
  const t = useTexts(loginTexts);
  const [isSubmitted, setSubmitted] = useState(false);
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(logIn, onLogIn);
  const emailInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  useEffect(() => emailInput.current?.focus(), []);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSubmitted(true);
    const mistake = email.trim() === '' ? emailInput : password === '' ? passwordInput : undefined;
    if (mistake) return mistake.current?.focus();
    const problem = await start({ email: email.trim(), password });
    if (problem?.kind !== 'refused') return;
    if (problem.code === 'mfa_required') onCodeRequired();
    else passwordInput.current?.select();
  };
  const change = (changed: Partial<Credentials>) => {
    onChange({ email, password, ...changed });
    forgetFailure();
  };
  const isWrong = failure?.kind === 'refused' && failure.code === 'invalid_grant';

  return (
    <RingFrame
      title={t('logIn')}
      introduction={options?.accountName ? t('welcome', { name: options.accountName }) : undefined}
      ringTime={wait.ringTime}
      isRingEnding
    >
      {failure === undefined && notice}
      <FailureBanner failure={failure} wait={wait} explained={['invalid_grant', 'mfa_required']} />
      <form className="form" method="post" noValidate onSubmit={submit}>
        <TextField
          label={t('email')}
          name="username"
          type="email"
          autoComplete="username"
          maxLength={254}
          value={email}
          onChange={(text) => change({ email: text })}
          inputRef={emailInput}
          error={isSubmitted && email.trim() === '' ? t('emailMissing') : undefined}
        />
        <PasswordField
          label={t('password')}
          name="password"
          autoComplete="current-password"
          maxLength={1024}
          value={password}
          onChange={(text) => change({ password: text })}
          inputRef={passwordInput}
          error={isWrong ? t('wrongPassword') : isSubmitted && password === '' ? t('passwordMissing') : undefined}
        />
        <SubmitButton label={t('logIn')} isPending={isPending} wait={wait} />
      </form>
      {options?.signOnUrl && (
        <>
          <p className="or">{t('or')}</p>
          <a className="button" href={options.signOnUrl}>
            <Icon path={KEY} />
            {t('signOn')}
          </a>
        </>
      )}
      <p className="ring-frame-help small">{t('forgotPassword')}</p>
    </RingFrame>
  );
}
