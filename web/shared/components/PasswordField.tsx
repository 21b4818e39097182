import { useState } from 'react';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { IconButton } from './Button.tsx';
import { EYE, EYE_OFF } from './icons.ts';
import { TextField, type TextFieldProps } from './TextField.tsx';

interface PasswordFieldProps extends Omit<TextFieldProps, 'type' | 'action' | 'autoComplete'> {
  /** Tells password managers whether they fill in or suggest a password. */
  readonly autoComplete: 'current-password' | 'new-password';
}

/** A password that can be shown. */
export function PasswordField(props: PasswordFieldProps) {
  const t = useTexts(commonTexts);
  const [isShown, setIsShown] = useState(false);
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      action={
        <IconButton
          size="small"
          icon={isShown ? EYE_OFF : EYE}
          label={isShown ? t('hidePassword') : t('showPassword')}
          onPress={() => setIsShown(!isShown)}
        />
      }
    />
  );
}
