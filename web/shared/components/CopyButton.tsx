import { useState } from 'react';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { Button } from './Button.tsx';
import { CHECK, COPY } from './icons.ts';

interface CopyButtonProps {
  readonly text: string;
  readonly size?: 'small';
}

/** Not on a page without TLS: the browser has no clipboard for it, and the text can be selected. */
export function CopyButton({ text, size }: CopyButtonProps) {
  const t = useTexts(commonTexts);
  const [copied, setCopied] = useState<string>();
  if (navigator.clipboard === undefined) return null;
  const isCopied = copied === text;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(text),
      () => setCopied(undefined),
    );
  return (
    <>
      <Button {...(size && { size })} icon={isCopied ? CHECK : COPY} onPress={copy}>
        {isCopied ? t('copied') : t('copy')}
      </Button>
      <span className="visually-hidden" role="status">
        {isCopied && t('copied')}
      </span>
    </>
  );
}
