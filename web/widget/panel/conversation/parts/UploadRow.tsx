import type { Chat } from '../../chat.ts';
import { ALERT, Icon } from '../../parts/Icon.tsx';
import { IconButton } from '../../parts/IconButton.tsx';
import type { Upload } from '../../state/state.ts';
import type { Engine } from '../engine.ts';
import { formatSize } from '../times.ts';
import { CLOSE, FILE, IMAGE } from './icons.ts';

interface UploadRowProps {
  readonly chat: Chat;
  readonly engine: Engine;
  readonly upload: Upload;
}

export function UploadRow({ chat, engine, upload }: UploadRowProps) {
  const { key, name, size, sent, id, problem, isImage } = upload;
  const total = formatSize(size, chat.locale);
  return (
    <div class="upload">
      <Icon d={problem ? ALERT : isImage ? IMAGE : FILE} />
      <span class="who">
        <span class="truncate">{name}</span>{' '}
        {problem ? (
          <span class="field-error" role="alert">
            {problem}
          </span>
        ) : (
          <span class="small">
            {id ? total : chat.text('uploaded', { done: formatSize(sent, chat.locale), size: total })}
          </span>
        )}
      </span>
      <IconButton icon={CLOSE} label={`${chat.text('cancel')}: ${name}`} onClick={() => engine.uploads.remove(key)} />
      {!problem && !id && <progress class="progress" max={size} value={sent} aria-label={name} />}
    </div>
  );
}
