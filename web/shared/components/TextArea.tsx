import { type ReactNode, type Ref, useId } from 'react';
import { FieldError } from './FieldError.tsx';

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly onBlur?: () => void;
  readonly rows?: number;
  readonly maxLength?: number;
  readonly lang?: string | undefined;
  readonly hint?: ReactNode;
  /** Replaces the hint. */
  readonly error?: string | undefined;
  readonly inputRef?: Ref<HTMLTextAreaElement> | undefined;
}

/** A text of several lines. */
export function TextArea({ label, onChange, rows = 4, hint, error, inputRef, ...attributes }: TextAreaProps) {
  const id = useId();
  const hasDescription = error !== undefined || hint !== undefined;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <textarea
        {...attributes}
        className="input"
        id={id}
        ref={inputRef}
        rows={rows}
        dir="auto"
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={hasDescription ? `${id}-description` : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {error !== undefined && <FieldError id={`${id}-description`}>{error}</FieldError>}
      {error === undefined && hint !== undefined && (
        <span className="field-hint" id={`${id}-description`}>
          {hint}
        </span>
      )}
    </div>
  );
}
