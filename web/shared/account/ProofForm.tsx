import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { Answer } from '../api/request.ts';
import { Button } from '../components/Button.tsx';
import { PasswordField } from '../components/PasswordField.tsx';
import { TextField } from '../components/TextField.tsx';
import { FailureBanner } from '../frame/FailureBanner.tsx';
import { SubmitButton } from '../frame/SubmitButton.tsx';
import { useAttempt } from '../frame/useAttempt.ts';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import type { Proof } from './changes.ts';
import { accountTexts } from './texts.ts';
import { UserName } from './UserName.tsx';

interface ProofFormProps<Result> {
  /** Besides the password. */
  readonly email: string;
  readonly needsCode: boolean;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly run: (proof: Proof) => Promise<Answer<Result>>;
  readonly onDone: (result: Result) => void;
  readonly onCancel: () => void;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Asks for the password, and the second factor, before a change with which others could take over the account. */
export function ProofForm<Result>(props: ProofFormProps<Result>) {
  const { email, needsCode, action, isDangerous = false, run, onDone, onCancel, children } = props;
  const t = useTexts(accountTexts);
  const common = useTexts(commonTexts);
  const [proof, setProof] = useState<Proof>({ currentPassword: '', code: '' });
  const [isSubmitted, setSubmitted] = useState(false);
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(run, onDone);
  const passwordInput = useRef<HTMLInputElement>(null);
  const codeInput = useRef<HTMLInputElement>(null);
  useEffect(() => passwordInput.current?.focus(), []);
  const refusal = failure?.kind === 'refused' ? failure.code : undefined;
  const isCodeMissing = needsCode && proof.code.trim() === '';

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSubmitted(true);
    const mistake = proof.currentPassword === '' ? passwordInput : isCodeMissing ? codeInput : undefined;
    if (mistake) return mistake.current?.focus();
    const problem = await start({ ...proof, code: proof.code.trim() });
    if (problem?.kind === 'refused') (problem.code === 'code.invalid' ? codeInput : passwordInput).current?.select();
  };
  const change = (changed: Partial<Proof>) => {
    setProof({ ...proof, ...changed });
    forgetFailure();
  };
  const describeMissing = (isMissing: boolean, text: string) => (isSubmitted && isMissing ? text : undefined);
  return (
    <form className="account-form" method="post" noValidate onSubmit={submit}>
      <p className="muted">{children}</p>
      <FailureBanner failure={failure} wait={wait} explained={['currentPassword.invalid', 'code.invalid']} />
      <UserName email={email} />
      <PasswordField
        label={t('currentPassword')}
        name="current-password"
        autoComplete="current-password"
        maxLength={1024}
        value={proof.currentPassword}
        onChange={(currentPassword) => change({ currentPassword })}
        inputRef={passwordInput}
        error={
          refusal === 'currentPassword.invalid'
            ? t('wrongPassword')
            : describeMissing(proof.currentPassword === '', t('passwordMissing'))
        }
      />
      {needsCode && (
        <TextField
          label={t('code')}
          hint={t('codeHint')}
          name="one-time-code"
          autoComplete="one-time-code"
          spellCheck="false"
          maxLength={20}
          value={proof.code}
          onChange={(code) => change({ code })}
          inputRef={codeInput}
          error={refusal === 'code.invalid' ? t('wrongCode') : describeMissing(isCodeMissing, t('codeMissing'))}
        />
      )}
      <div className={isDangerous ? 'dialog-actions' : 'account-actions'}>
        {isDangerous && <Button onPress={onCancel}>{common('cancel')}</Button>}
        <SubmitButton label={action} isPending={isPending} wait={wait} kind={isDangerous ? 'danger' : 'primary'} />
        {!isDangerous && <Button onPress={onCancel}>{common('cancel')}</Button>}
      </div>
    </form>
  );
}
