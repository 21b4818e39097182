import type { ComponentChildren } from 'preact';
import { ALERT, Icon } from './Icon.tsx';

export interface FieldProps {
  readonly name: string;
  readonly label: ComponentChildren;
  readonly value: string;
  readonly optional?: string | false;
  readonly hint?: string | undefined;
  /** Replaces the hint. */
  readonly error?: string | undefined;
  readonly type?: 'text' | 'email';
  readonly autocomplete?: string;
  readonly rows?: number;
  readonly maxLength?: number;
  onChange(value: string): void;
  onLeave?(): void;
}

/** Label above, hint below. With `rows`, a text of several lines. */
export function Field({ label, optional, hint, error, rows, onChange, onLeave, type, ...others }: FieldProps) {
  const { name } = others;
  const note = `${name}-note`;
  const attributes = {
    ...{ ...others, id: name, class: 'input', 'aria-invalid': error !== undefined, 'aria-required': !optional },
    ...((error || hint) && { 'aria-describedby': note }),
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
    onBlur: () => onLeave?.(),
  };
  return (
    <div class="field">
      <label class="field-label" for={name}>
        {label} {optional && <span class="count">{optional}</span>}
      </label>
      {rows ? <textarea {...attributes} rows={rows} /> : <input {...attributes} type={type as 'text'} />}
      {error ? (
        <FieldError id={note} text={error} />
      ) : (
        hint && (
          <span class="field-hint" id={note}>
            {hint}
          </span>
        )
      )}
    </div>
  );
}

export function FieldError({ id, text }: { readonly id?: string; readonly text: string }) {
  return (
    <span class="field-error" id={id}>
      <Icon d={ALERT} />
      {text}
    </span>
  );
}
