import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import { FieldError } from './FieldError.tsx';

/** Of the input, as the browser names them. */
type InputAttribute =
  | 'autoCapitalize'
  | 'autoComplete'
  | 'enterKeyHint'
  | 'inputMode'
  | 'maxLength'
  | 'name'
  | 'placeholder'
  | 'spellCheck'
  | 'type';

export interface TextFieldProps extends Pick<InputHTMLAttributes<HTMLInputElement>, InputAttribute> {
  readonly label: string;
  readonly value: string;
  readonly onChange?: (text: string) => void;
  readonly onBlur?: () => void;
  readonly hint?: ReactNode;
  /** Replaces the hint. The view decides when: on blur, then on each change. */
  readonly error?: string | undefined;
  readonly isReadOnly?: boolean;
  readonly isDisabled?: boolean;
  /** For the focus on the first mistake. */
  readonly inputRef?: Ref<HTMLInputElement> | undefined;
  /** A button inside the edge of the input. */
  readonly action?: ReactNode;
}

/** The browser's own input, which password managers, phones and screen readers know best. */
export function TextField(props: TextFieldProps) {
  const { label, onChange, hint, error, isReadOnly, isDisabled, inputRef, action, ...attributes } = props;
  const id = useId();
  const hasDescription = error !== undefined || hint !== undefined;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <span className="field-input">
        <input
          {...attributes}
          className={action === undefined ? 'input' : 'input input-with-action'}
          id={id}
          ref={inputRef}
          readOnly={isReadOnly || onChange === undefined}
          disabled={isDisabled}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={hasDescription ? `${id}-description` : undefined}
          onChange={(event) => onChange?.(event.target.value)}
        />
        {action}
      </span>
      {error !== undefined && <FieldError id={`${id}-description`}>{error}</FieldError>}
      {error === undefined && hint !== undefined && (
        <span className="field-hint" id={`${id}-description`}>
          {hint}
        </span>
      )}
    </div>
  );
}
