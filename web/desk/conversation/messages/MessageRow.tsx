import { memo } from 'react';
import { Icon } from '../../../shared/components/Icon.tsx';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import type { Message } from '../../state/model.ts';
import { SEEN } from '../icons.ts';
import { conversationTexts } from '../texts.ts';
import { AttachmentLink } from './AttachmentLink.tsx';
import { Linked } from './Linked.tsx';
import { formatTime } from './times.ts';

interface MessageRowProps {
  readonly conversationId: string;
  readonly message: Message;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isSeen: boolean;
  readonly viewerId: string;
  readonly visitorName: string;
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { conversationId, message, isFirst, isLast, isSeen, viewerId, visitorName } = props;
  const t = useTexts(conversationTexts);
  const { locale } = useLanguage();
  const isOperator = message.author === 'OPERATOR';
  const isViewer = isOperator && message.operator?.id === viewerId;
  const author = isViewer ? t('you') : isOperator ? (message.operator?.pseudo ?? t('operator')) : visitorName;
  return (
    <div className="message" data-own={isOperator ? '' : undefined} data-same={isFirst ? undefined : ''}>
      <span className="visually-hidden">{author}:</span>
      {message.text !== '' && (
        <p className="bubble" dir="auto">
          <Linked text={message.text} />
        </p>
      )}
      {message.attachments.map((attachment) => (
        <AttachmentLink
          key={attachment.id}
          attachment={attachment}
          conversationId={conversationId}
          sequence={message.sequence}
        />
      ))}
      {isLast && (
        <span className="message-meta">
          {isOperator && !isViewer && `${author} · `}
          <time dateTime={message.at}>{formatTime(message.at, locale)}</time>
          {isSeen && (
            <>
              <Icon path={SEEN} /> {t('seen')}
            </>
          )}
        </span>
      )}
    </div>
  );
});
