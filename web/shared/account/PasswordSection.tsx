import { type SubmitEvent, useRef, useState } from 'react';
import type { Answer } from '../api/request.ts';
import { logIn, logOut, type Session } from '../api/session.ts';
import { PasswordField } from '../components/PasswordField.tsx';
import { FailureBanner } from '../frame/FailureBanner.tsx';
import { SubmitButton } from '../frame/SubmitButton.tsx';
import { useAttempt } from '../frame/useAttempt.ts';
import { NewPasswordField } from '../new-password/NewPasswordField.tsx';
import { findPasswordProblem, type PasswordProblem } from '../new-password/rules.ts';
import { goToLogIn } from '../page/SessionPage.tsx';
import { useTexts } from '../texts/LanguageContext.tsx';
import { changePassword } from './changes.ts';
import { Done, Section } from './Section.tsx';
import { accountTexts } from './texts.ts';
import { UserName } from './UserName.tsx';

interface PasswordSectionProps {
  readonly session: Session;
  readonly hasTwoFactor: boolean;
  readonly onChange: () => void;
}

export function PasswordSection({ session, hasTwoFactor, onChange }: PasswordSectionProps) {
  const t = useTexts(accountTexts);
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const [isDone, setDone] = useState(false);
  const currentInput = useRef<HTMLInputElement>(null);
  const newInput = useRef<HTMLInputElement>(null);
  const { email } = session.operator;

  const { start, isPending, failure, forgetFailure, wait } = useAttempt(
    (input: NewPassword) => changeAndLogInAgain(email, input),
    () => {
      setCurrentPassword('');
      setNewPassword('');
      setSubmitted(false);
      setDone(true);
      onChange();
    },
  );
  const code = failure?.kind === 'refused' ? failure.code : undefined;
  const newProblem = findPasswordProblem(newPassword, email) ?? (code === undefined ? undefined : REFUSALS[code]);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSubmitted(true);
    const isWeak = findPasswordProblem(newPassword, email) !== undefined;
    const mistake = currentPassword === '' ? currentInput : isWeak ? newInput : undefined;
    if (mistake) return mistake.current?.focus();
    const problem = await start({ currentPassword, newPassword });
    if (problem?.kind === 'refused') (problem.code in REFUSALS ? newInput : currentInput).current?.select();
  };
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    setDone(false);
    forgetFailure();
  };
  return (
    <Section title={t('password')} description={t('passwordHint')}>
      <form className="account-form" method="post" noValidate onSubmit={submit}>
        <FailureBanner
          failure={failure}
          wait={wait}
          explained={['currentPassword.invalid', ...Object.keys(REFUSALS)]}
        />
        <UserName email={email} />
        <PasswordField
          label={t('currentPassword')}
          name="current-password"
          autoComplete="current-password"
          maxLength={1024}
          value={currentPassword}
          onChange={change(setCurrentPassword)}
          inputRef={currentInput}
          error={
            code === 'currentPassword.invalid'
              ? t('wrongPassword')
              : isSubmitted && currentPassword === ''
                ? t('passwordMissing')
                : undefined
          }
        />
        <NewPasswordField
          label={t('newPassword')}
          value={newPassword}
          onChange={change(setNewPassword)}
          inputRef={newInput}
          problem={isSubmitted ? newProblem : undefined}
        />
        <p className="small">{hasTwoFactor ? t('passwordThenLogIn') : t('passwordThenStay')}</p>
        <SubmitButton label={t('changePassword')} isPending={isPending} wait={wait} />
        <Done text={isDone ? t('passwordChanged') : undefined} />
      </form>
    </Section>
  );
}

/** What the service says about a new password. */
const REFUSALS: Readonly<Record<string, PasswordProblem>> = {
  'newPassword.too_short': 'too_short',
  'newPassword.too_long': 'too_long',
  'newPassword.too_common': 'too_common',
  'newPassword.invalid_characters': 'invalid_characters',
};

interface NewPassword {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/**
 * The service ends every session of the operator with the old password, this one too. The page has the new password, so
 * it logs in again at once. With two-factor it needs a code, for which the log-in page asks.
 */
async function changeAndLogInAgain(email: string, input: NewPassword): Promise<Answer<unknown>> {
  const changed = await changePassword(input);
  if (!changed.ok) return changed;
  const session = await logIn({ email, password: input.newPassword });
  if (session.ok && !session.value.mustSetUpTwoFactor) return changed;
  // The service may know the ended session for another second: the log-in page would come back with it.
  await logOut();
  goToLogIn('password');
  return changed;
}
