import { type CSSProperties, useState } from 'react';
import { IconButton } from '../../../shared/components/Button.tsx';
import { Icon } from '../../../shared/components/Icon.tsx';
import { ALERT } from '../../../shared/components/icons.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { CROSS, FILE } from '../icons.ts';
import { formatSize } from '../messages/times.ts';
import { conversationTexts } from '../texts.ts';
import { describeProblem } from './describe-problem.ts';
import { isRunning, type Upload } from './uploads.ts';

interface UploadRowProps {
  readonly upload: Upload;
  readonly onRemove: () => void;
}

export function UploadRow({ upload, onRemove }: UploadRowProps) {
  const t = useTexts(conversationTexts);
  const { locale } = useLanguage();
  const { name, size, share, problem, preview } = upload;
  // A kind that this browser cannot draw.
  const [isUnreadable, setUnreadable] = useState(false);
  const percent = Math.round(share * 100);
  return (
    <div className="upload">
      {preview && !problem && !isUnreadable ? (
        <img className="upload-preview" src={preview} alt="" onError={() => setUnreadable(true)} />
      ) : (
        <Icon path={problem ? ALERT : FILE} />
      )}
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
