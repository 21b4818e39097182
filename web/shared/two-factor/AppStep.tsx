import { type SubmitEvent, useRef, useState } from 'react';
import { CodeField } from '../components/CodeField.tsx';
import { CopyButton } from '../components/CopyButton.tsx';
import { FailureBanner } from '../frame/FailureBanner.tsx';
import { SubmitButton } from '../frame/SubmitButton.tsx';
import { useAttempt } from '../frame/useAttempt.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { QrCode } from './QrCode.tsx';
import { type AppSecret, confirmSetUp } from './set-up.ts';
import { twoFactorTexts } from './texts.ts';

interface AppStepProps {
  readonly app: AppSecret;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
  /** The set-up was completed or replaced elsewhere, the answer to the last attempt was lost, or it expired. */
  readonly onEnded: () => void;
  readonly onLoggedOut: () => void;
}

/** The secret as a QR code, as a link and as text, and the first code of the app. */
export function AppStep({ app, onConfirmed, onEnded, onLoggedOut }: AppStepProps) {
  const t = useTexts(twoFactorTexts);
  const [code, setCode] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(confirmSetUp, onConfirmed);
  const input = useRef<HTMLInputElement>(null);
  const isWrong = failure?.kind === 'refused' && failure.code === 'code.invalid';
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (code.length < 6) return input.current?.focus();
    const problem = await start(code);
    if (problem?.kind === 'loggedOut') onLoggedOut();
    else if (problem?.kind === 'refused' && problem.code === 'state') onEnded();
    else if (problem?.kind === 'refused') {
      setCode('');
      setSubmitted(false);
    }
  };
  return (
    <>
      <FailureBanner failure={failure} wait={wait} explained={['code.invalid']} />
      <QrCode text={app.uri} label={t('qrCode')} />
      <div className="app-secret">
        <span className="small">{t('secret')}</span>
        <code>{app.secret.match(/.{1,4}/g)?.join(' ')}</code>
        <span className="app-secret-actions">
          <CopyButton text={app.secret} size="small" />
          <a className="button" data-size="small" href={app.uri}>
            {t('openApp')}
          </a>
        </span>
      </div>
      <form className="form" method="post" noValidate onSubmit={submit}>
        <CodeField
          label={t('code')}
          value={code}
          onChange={(digits) => {
            setCode(digits);
            setSubmitted(false);
            forgetFailure();
          }}
          inputRef={input}
          error={isWrong ? t('wrongCode') : isSubmitted && code.length < 6 ? t('codeMissing') : undefined}
        />
        <SubmitButton label={t('turnOn')} isPending={isPending} wait={wait} />
      </form>
    </>
  );
}
