import { useState } from 'preact/hooks';
import type { Chat } from '../../chat.ts';
import { Icon } from '../../parts/Icon.tsx';
import type { Attachment, Message } from '../../state/state.ts';
import type { Engine } from '../engine.ts';
import { formatSize } from '../times.ts';
import { FILE, IMAGE } from './icons.ts';

interface FilesProps {
  readonly chat: Chat;
  readonly engine: Engine;
  readonly message: Message;
}

export function Files({ message, ...others }: FilesProps) {
  return (
    <>
      {message.attachments.map((file) => (
        <FileLink key={file.id} {...others} message={message} file={file} />
      ))}
    </>
  );
}

/** An image is shown, everything else is a download. Addresses end after some minutes: then a new one is read. */
function FileLink({ chat, engine, message, file }: FilesProps & { readonly file: Attachment }) {
  const [failures, setFailures] = useState(0);
  const { name, size, isImage, width, height, url, expiresAt } = file;
  const isShown = isImage && failures < 2; // the page may forbid images of the service
  const sizeText = formatSize(size, chat.locale);
  const address = chat.host.service + url.replace(/^\//, '');
  return (
    <a
      class={isShown ? 'image' : 'attachment'}
      href={address}
      target="_blank"
      rel="noopener"
      download={isImage ? undefined : name}
      aria-label={isImage ? name : chat.text('download', { name: `${name} ${sizeText}` })}
      onClick={async (event) => {
        if (Date.parse(expiresAt) > Date.now()) return;
        const link = event.currentTarget;
        event.preventDefault();
        await engine.refresh(message.sequence).catch(() => undefined);
        // The address is drawn by then, and the second click does not come here again.
        setTimeout(() => link.click());
      }}
    >
      {isShown ? (
        <img
          key={failures} // tries again, also if the address stays the same
          src={address}
          alt={name}
          width={width ?? undefined}
          height={height ?? undefined}
          loading="lazy"
          onError={async () => {
            if (failures === 0) await engine.refresh(message.sequence).catch(() => undefined);
            setFailures(failures + 1);
          }}
        />
      ) : (
        <>
          <Icon d={isImage ? IMAGE : FILE} />
          <span>
            <span class="truncate">{name}</span> <span class="small">{sizeText}</span>
          </span>
        </>
      )}
    </a>
  );
}
