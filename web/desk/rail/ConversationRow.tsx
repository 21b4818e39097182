import { memo } from 'react';
import { Avatar } from '../../shared/components/Avatar.tsx';
import { useNow } from '../../shared/format/useNow.ts';
import { useLanguage, useTexts } from '../../shared/texts/LanguageContext.tsx';
import type { Translate } from '../../shared/texts/texts.ts';
import { useDesk } from '../DeskContext.tsx';
import { RouteLink } from '../frame/RouteLink.tsx';
import { toConversation } from '../frame/route.ts';
import { useVisitorName } from '../frame/useVisitorName.ts';
import { findShortName } from '../frame/visitor-name.ts';
import type { DeskConversation } from '../state/model.ts';
import { toLocalTime } from '../state/server-time.ts';
import { findLastTime, findPreview, findUnansweredSince, type Preview } from './preview.ts';
import { formatSince } from './since.ts';
import { railTexts } from './texts.ts';

interface ConversationRowProps {
  readonly conversation: DeskConversation;
  readonly isOpen: boolean;
  /** Closed here; the service does not know it yet. */
  readonly isClosing: boolean;
  /** The Tab key leads to it. */
  readonly isTabStop: boolean;
}

/** Drawn again only when its conversation changes, and every second for its times. */
export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { conversation, isOpen, isClosing, isTabStop } = props;
  const t = useTexts(railTexts);
  const { locale } = useLanguage();
  const now = useNow(1000);
  const clockOffset = useDesk((state) => state.clockOffset);
  const warningSeconds = useDesk((state) => state.account.waitingWarningSeconds);
  const name = useVisitorName()(conversation.visitor);
  const shortName = (conversation.visitor && findShortName(conversation.visitor)) || name;
  const { unreadCount, state } = conversation;
  const unansweredSince = isClosing ? null : findUnansweredSince(conversation);
  const isLate = unansweredSince !== null && now - toLocalTime(unansweredSince, clockOffset) > warningSeconds * 1000;
  const last = toLocalTime(findLastTime(conversation), clockOffset);
  const isUnread = unreadCount > 0 && state === 'ACTIVE' && !isClosing;
  return (
    <RouteLink
      className="conversation-row"
      to={toConversation(conversation.id)}
      aria-current={isOpen ? 'page' : undefined}
      data-row={conversation.id}
      tabIndex={isTabStop ? undefined : -1}
    >
      <Avatar name={name} />
      <span className="who">
        <span className={isUnread || isOpen ? 'strong truncate' : 'truncate'}>{name}</span>
        <span className="small truncate">
          {isClosing ? t('closing') : describePreview(t, findPreview(conversation, now), shortName)}
        </span>
      </span>
      <span className="row-end">
        <span className={isLate ? 'row-time caution strong' : 'row-time'}>
          {isLate && <span className="visually-hidden">{t('waitsForAnswer')} </span>}
          {formatSince(now - last, { locale, now: t('now') })}
        </span>
        {isUnread && (
          <span className="badge">
            <span className="visually-hidden">{t('unread')} </span>
            {unreadCount}
          </span>
        )}
      </span>
    </RouteLink>
  );
});

function describePreview(t: Translate<typeof railTexts.en>, preview: Preview, name: string): string {
  switch (preview.kind) {
    case 'typing':
      return t('typing', { name });
    case 'left':
      return t('left');
    case 'new':
      return t('noMessages');
    default: {
      const { kind, attachment } = preview;
      const text = preview.text === '' && attachment !== null ? t('attachment', { name: attachment }) : preview.text;
      return kind === 'own' ? t('you', { text }) : text;
    }
  }
}
