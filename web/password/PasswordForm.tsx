import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { type PasswordLink, setPassword } from '../shared/api/session.ts';
import { TextField } from '../shared/components/TextField.tsx';
import { FailureBanner } from '../shared/frame/FailureBanner.tsx';
import { RingFrame } from '../shared/frame/RingFrame.tsx';
import { SubmitButton } from '../shared/frame/SubmitButton.tsx';
import { useAttempt } from '../shared/frame/useAttempt.ts';
import { NewPasswordField } from '../shared/new-password/NewPasswordField.tsx';
import { findPasswordProblem, type PasswordProblem } from '../shared/new-password/rules.ts';
import { useLanguage, useTexts } from '../shared/texts/LanguageContext.tsx';
import { passwordTexts } from './texts.ts';

interface PasswordFormProps {
  readonly token: string;
  readonly link: PasswordLink;
  /** The link was used or replaced meanwhile. */
  readonly onRefused: () => void;
  readonly onDone: () => void;
}

export function PasswordForm({ token, link, onRefused, onDone }: PasswordFormProps) {
  const t = useTexts(passwordTexts);
  const { locale } = useLanguage();
  const [password, setPasswordText] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(
    (text: string) => setPassword(token, text),
    onDone,
  );
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const localProblem = findPasswordProblem(password, link.email);
  const refusedReason = failure?.kind === 'refused' ? (failure.reason as PasswordProblem | undefined) : undefined;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (localProblem) return input.current?.focus();
    const problem = await start(password);
    if (problem?.kind !== 'refused') return;
    if (problem.code === 'invalid_grant') onRefused();
    else input.current?.select();
  };
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

  return (
    <RingFrame
      title={t('title')}
      introduction={t('forWhom', { name: link.name, time: time.format(new Date(link.expiresAt)) })}
      ringTime={wait.ringTime}
      isRingEnding
    >
      <FailureBanner failure={refusedReason ? undefined : failure} wait={wait} />
      <form className="form" method="post" noValidate onSubmit={submit}>
        <TextField
          label={t('email')}
          name="username"
          type="email"
          autoComplete="username"
          isReadOnly
          value={link.email}
        />
        <NewPasswordField
          label={t('newPassword')}
          value={password}
          onChange={(text) => {
            setPasswordText(text);
            forgetFailure();
          }}
          problem={refusedReason ?? (isSubmitted ? localProblem : undefined)}
          inputRef={input}
        />
        <SubmitButton label={t('save')} isPending={isPending} wait={wait} />
      </form>
      <p className="ring-frame-help small">{t('endsSessions')}</p>
    </RingFrame>
  );
}
