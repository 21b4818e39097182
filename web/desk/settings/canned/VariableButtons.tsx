import type { RefObject } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { insertText } from '../../conversation/composer/insert-text.ts';
import { VARIABLES } from './reply.ts';
import { cannedTexts } from './texts.ts';

interface VariableButtonsProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/** Insert what the page replaces, where the caret is. */
export function VariableButtons({ field }: VariableButtonsProps) {
  const t = useTexts(cannedTexts);
  return (
    <fieldset className="field">
      <legend className="field-label">{t('variables')}</legend>
      <span className="canned-actions">
        {VARIABLES.map((name) => (
          <Button
            key={name}
            size="small"
            onPress={() => field.current && insertText(field.current, `{{${name}}}`)}
            aria-label={t('insert', { name: t(`variable_${name}`) })}
          >
            {t(`variable_${name}`)}
          </Button>
        ))}
      </span>
    </fieldset>
  );
}
