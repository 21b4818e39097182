import type { ReactNode, Ref } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input, type InputProps } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField';
import { Icon } from './Icon.tsx';
import { ALERT } from './icons.ts';

export interface TextFieldProps
  extends Omit<
    AriaTextFieldProps,
    'className' | 'style' | 'children' | 'isInvalid' | 'validate' | 'validationBehavior'
  > {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Replaces the hint. The view decides when: on blur, then on each change. */
  readonly error?: string | undefined;
  /** For the focus on the first mistake. */
  readonly inputRef?: Ref<HTMLInputElement> | undefined;
  readonly placeholder?: string;
  /** Beside the input, inside its edge. */
  readonly action?: ReactNode;
  /** Of the input, in addition to `input`. */
  readonly inputClass?: string;
  readonly inputProps?: Pick<InputProps, 'autoCapitalize' | 'enterKeyHint'>;
}

export function TextField(props: TextFieldProps) {
  const { label, hint, error, inputRef, action, inputClass, inputProps, ...rest } = props;
  return (
    <AriaTextField {...rest} className="field" isInvalid={error !== undefined} validationBehavior="aria">
      <Label className="field-label">{label}</Label>
      <span className="field-input">
        <Input {...inputProps} className={['input', inputClass].join(' ').trim()} ref={inputRef} />
        {action}
      </span>
      {hint !== undefined && error === undefined && (
        <Text className="field-hint" slot="description">
          {hint}
        </Text>
      )}
      <FieldError className="field-error">
        <Icon path={ALERT} />
        {error}
      </FieldError>
    </AriaTextField>
  );
}
