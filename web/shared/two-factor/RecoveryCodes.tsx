import { useEffect, useId, useState } from 'react';
import { Button } from '../components/Button.tsx';
import { CopyButton } from '../components/CopyButton.tsx';
import { FieldError } from '../components/FieldError.tsx';
import { Icon } from '../components/Icon.tsx';
import { DOWNLOAD, PRINT } from '../components/icons.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { twoFactorTexts } from './texts.ts';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** The codes are shown only once, so it goes on only after someone says that they have them. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const t = useTexts(twoFactorTexts);
  const id = useId();
  const [isSaved, setSaved] = useState(false);
  const [isRefused, setRefused] = useState(false);
  // Leaving loses them for ever, so the browser asks.
  useEffect(() => {
    if (isSaved) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isSaved]);
  const text = `${codes.join('\n')}\n`;
  const hasError = isRefused && !isSaved;
  return (
    <>
      <ol className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className="recovery-actions">
        <CopyButton text={text} />
        <a
          className="button"
          download="switchboard-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        >
          <Icon path={DOWNLOAD} />
          {t('download')}
        </a>
        <Button icon={PRINT} onPress={() => window.print()}>
          {t('print')}
        </Button>
      </div>
      <div className="field">
        <label className="check">
          <input
            type="checkbox"
            checked={isSaved}
            aria-invalid={hasError || undefined}
            aria-describedby={hasError ? id : undefined}
            onChange={(event) => setSaved(event.target.checked)}
          />
          {t('saved')}
        </label>
        {hasError && <FieldError id={id}>{t('notSaved')}</FieldError>}
      </div>
      <Button kind="primary" onPress={() => (isSaved ? onDone() : setRefused(true))}>
        {t('proceed')}
      </Button>
    </>
  );
}
