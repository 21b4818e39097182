import type { CSSProperties } from 'react';
import type { Failure } from '../../../shared/api/request.ts';
import { IconButton } from '../../../shared/components/Button.tsx';
import { Icon } from '../../../shared/components/Icon.tsx';
import { ALERT } from '../../../shared/components/icons.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import type { Translate } from '../../../shared/texts/texts.ts';
import { CROSS, FILE } from '../icons.ts';
import { formatSize } from '../messages/times.ts';
import type { en } from '../texts/en.ts';
import { conversationTexts } from '../texts.ts';
import type { Problem, Upload } from './uploads.ts';
import { isRunning } from './uploads.ts';

interface UploadRowProps {
  readonly upload: Upload;
  readonly onRemove: () => void;
}

export function UploadRow({ upload, onRemove }: UploadRowProps) {
  const t = useTexts(conversationTexts);
  const { locale } = useLanguage();
  const { name, size, share, problem } = upload;
  const percent = Math.round(share * 100);
  return (
    <div className="upload">
      <Icon path={problem ? ALERT : FILE} />
      <span className="upload-who">
        <span className="truncate">{name}</span>
        {problem ? (
          <span className="field-error" role="alert">
            {describeProblem(problem, t, locale)}
          </span>
        ) : (
          <span className="small">{formatSize(size, locale)}</span>
        )}
      </span>
      <IconButton size="small" icon={CROSS} label={t('removeFile', { name })} onPress={onRemove} />
      {isRunning(upload) && (
        <span
          className="progress"
          role="progressbar"
          aria-label={name}
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
          style={{ '--done': percent } as CSSProperties}
        >
          <i />
        </span>
      )}
    </div>
  );
}

function describeProblem(problem: Problem, t: Translate<typeof en>, locale: string): string {
  if (problem.kind === 'refusedKind') return t('fileKindRefused');
  if (problem.kind === 'failed') return describeFailure(problem.failure, t);
  const { size, maxBytes } = problem;
  return t('fileTooLarge', { size: formatSize(size, locale), limit: formatSize(maxBytes, locale) });
}

/** By the codes of the service, where it knows better than the page. */
const REFUSED_TEXTS = new Map([
  ['file.too_large', 'fileTooLargeForService'],
  ['file.unsupported', 'fileKindRefused'],
  ['file.too_slow', 'fileTooSlow'],
] as const) as ReadonlyMap<string, 'fileTooLargeForService' | 'fileKindRefused' | 'fileTooSlow'>;

function describeFailure(failure: Failure, t: Translate<typeof en>): string {
  if (failure.kind === 'unreachable') return t('fileUnreachable');
  if (failure.kind === 'limited') return t('fileLimited');
  if (failure.kind === 'loggedOut') return t('fileLoggedOut');
  const text = REFUSED_TEXTS.get(failure.code);
  return text === undefined ? failure.description : t(text);
}
