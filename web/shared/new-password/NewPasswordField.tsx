import type { Ref } from 'react';
import { PasswordField } from '../components/PasswordField.tsx';
import { useTexts } from '../texts/LanguageContext.tsx';
import { MIN_PASSWORD_LENGTH, type PasswordProblem } from './rules.ts';
import { newPasswordTexts } from './texts.ts';

interface NewPasswordFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (password: string) => void;
  /** What is wrong with it, once someone has tried to set it. */
  readonly problem: PasswordProblem | undefined;
  readonly inputRef?: Ref<HTMLInputElement>;
}

/** Says while one types what is missing, and what is wrong only after an attempt. */
export function NewPasswordField({ label, value, onChange, problem, inputRef }: NewPasswordFieldProps) {
  const t = useTexts(newPasswordTexts);
  const missing = MIN_PASSWORD_LENGTH - value.length;
  return (
    <PasswordField
      label={label}
      name="new-password"
      autoComplete="new-password"
      value={value}
      onChange={onChange}
      inputRef={inputRef}
      hint={value !== '' && missing > 0 ? t('missing', { count: missing }) : t('hint')}
      error={problem && t(problem)}
    />
  );
}
