import { type Ref, useId } from 'react';
import { FieldError } from './FieldError.tsx';

const DIGITS = [0, 1, 2, 3, 4, 5];

interface CodeFieldProps {
  readonly label: string;
  /** Six digits, or the first of them. */
  readonly value: string;
  readonly onChange: (digits: string) => void;
  readonly error?: string | undefined;
  readonly inputRef?: Ref<HTMLInputElement>;
}

/**
 * The six digits of an authenticator app. It is one field that looks like six: people paste `123 456`, password
 * managers and phones fill it in, and a screen reader reads one number.
 */
export function CodeField({ label, value, onChange, error, inputRef }: CodeFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <span className="code-field" data-invalid={error === undefined ? undefined : ''}>
        {DIGITS.map((digit) => (
          <i key={digit} data-next={digit === Math.min(value.length, 5) ? '' : undefined} />
        ))}
        <input
          id={id}
          ref={inputRef}
          name="one-time-code"
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="go"
          value={value}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={(event) => onChange(event.target.value.replaceAll(/\D/g, '').slice(0, DIGITS.length))}
        />
      </span>
      {error !== undefined && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}
