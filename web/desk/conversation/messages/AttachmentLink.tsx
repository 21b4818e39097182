import { type CSSProperties, type MouseEvent, useRef, useState } from 'react';
import { Icon } from '../../../shared/components/Icon.tsx';
import { DOWNLOAD } from '../../../shared/components/icons.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import type { Attachment } from '../../state/model.ts';
import { FILE } from '../icons.ts';
import { conversationTexts } from '../texts.ts';
import { readAttachment } from './attachment-query.ts';
import { describeKind } from './describe-kind.ts';
import { formatSize } from './times.ts';

interface AttachmentLinkProps {
  readonly attachment: Attachment;
  readonly conversationId: string;
  readonly sequence: number;
}

/** An image is shown, everything else is a download. Addresses end after some minutes: then a new one is read. */
export function AttachmentLink({ attachment, conversationId, sequence }: AttachmentLinkProps) {
  const t = useTexts(conversationTexts);
  const { locale } = useLanguage();
  const [renewed, setRenewed] = useState<Attachment>();
  const [failures, setFailures] = useState(0);
  const isRenewedClick = useRef(false);
  const { id, name, size, kind, isImage, width, height } = attachment;
  // Whichever is newer: the message may have been read again as well.
  const current = renewed !== undefined && renewed.expiresAt > attachment.expiresAt ? renewed : attachment;
  const address = toAddress(current.url);
  const renew = async () => {
    const answer = await readAttachment(conversationId, sequence, id);
    if (!answer.ok || answer.value === undefined) return undefined;
    setRenewed(answer.value);
    return toAddress(answer.value.url);
  };
  const open = async (event: MouseEvent<HTMLAnchorElement>) => {
    if (Date.parse(current.expiresAt) > Date.now() || isRenewedClick.current) return;
    const link = event.currentTarget;
    event.preventDefault();
    const fresh = await renew();
    if (fresh === undefined) return;
    link.href = fresh;
    // Not renewed again, even if the clock of this computer is wrong.
    isRenewedClick.current = true;
    link.click();
    isRenewedClick.current = false;
  };
  const isShown = isImage && failures < 2;
  const sizeText = formatSize(size, locale);
  return (
    <a
      className={isShown ? 'image' : 'attachment'}
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      download={isImage ? undefined : name}
      aria-label={isImage ? t('openImage', { name }) : t('download', { name: `${name}, ${sizeText}` })}
      onClick={open}
    >
      {isShown ? (
        <img
          // Tries again, also if the address stays the same.
          key={failures}
          src={address}
          alt={name}
          width={width ?? undefined}
          height={height ?? undefined}
          style={width && height ? ({ '--shape': `${width} / ${height}` } as CSSProperties) : undefined}
          loading="lazy"
          onError={async () => {
            if (failures === 0) await renew();
            setFailures(failures + 1);
          }}
        />
      ) : (
        <>
          <Icon path={FILE} />
          <span>
            <span className="truncate">{name}</span>
            <span className="small">
              {describeKind(name, kind)} · {sizeText}
            </span>
          </span>
          <Icon path={DOWNLOAD} />
        </>
      )}
    </a>
  );
}

/** Of this service, whatever the text says. */
function toAddress(url: string): string {
  return `/${url.replace(/^\/+/, '')}`;
}
