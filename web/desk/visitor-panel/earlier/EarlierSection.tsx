import { useEffect, useState } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { Icon } from '../../../shared/components/Icon.tsx';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import { RouteLink } from '../../frame/RouteLink.tsx';
import { toConversation } from '../../frame/route.ts';
import { CALL, CHAT, VIDEO } from '../../icons.ts';
import { PanelFailure, PanelSkeleton } from '../PanelFailure.tsx';
import { PanelSection } from '../PanelSection.tsx';
import { visitorPanelTexts } from '../texts.ts';
import { usePanelReading } from '../usePanelReading.ts';
import { type EarlierConversation, readEarlier } from './earlier-query.ts';
import { findHistoryScope } from './history-scope.ts';

interface EarlierSectionProps {
  readonly conversationId: string;
  readonly visitor: { readonly id: string; readonly name: string };
}

const ICONS = { CHAT, CALL, VIDEO };

/** The earlier conversations of the visitor: each opens with its transcript. */
export function EarlierSection({ conversationId, visitor }: EarlierSectionProps) {
  const t = useTexts(visitorPanelTexts);
  const scope = useDesk((state) => findHistoryScope(state, visitor.id));
  const [pages, setPages] = useState(1);
  const { value, failure, isLost, reload } = usePanelReading(`earlier ${conversationId} ${scope}`, () =>
    readEarlier(conversationId, pages),
  );
  useEffect(() => {
    if (pages > 1) reload();
  }, [pages, reload]);
  if (value === null || (isLost && value === undefined)) return null;
  const { conversations = [], hasMore = false } = value ?? {};
  return (
    <PanelSection
      name="earlier"
      title={t('earlier')}
      count={value && !hasMore && conversations.length > 0 ? conversations.length : undefined}
    >
      {failure && <PanelFailure failure={failure} onRetry={reload} />}
      {value === undefined && failure === undefined && <PanelSkeleton widths={['80%', '65%']} />}
      {value && conversations.length === 0 && (
        <p className="small">{scope === 'all' ? t('noEarlier') : t('noneOfYours')}</p>
      )}
      <ul>
        {conversations.map((conversation) => (
          <EarlierRow key={conversation.id} conversation={conversation} />
        ))}
      </ul>
      {value && scope === 'whileServing' && <p className="small">{t('whileServing', { name: visitor.name })}</p>}
      {hasMore && (
        <span>
          <Button size="small" kind="quiet" onPress={() => setPages(pages + 1)}>
            {t('showMore')}
          </Button>
        </span>
      )}
    </PanelSection>
  );
}

function EarlierRow({ conversation }: { readonly conversation: EarlierConversation }) {
  const t = useTexts(visitorPanelTexts);
  const { locale } = useLanguage();
  const { id, channel, createdAt, skill, firstWords } = conversation;
  const date = new Date(createdAt);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  const day = new Intl.DateTimeFormat(locale, {
    ...{ day: 'numeric', month: 'short' },
    ...(!isThisYear && { year: 'numeric' }),
  }).format(date);
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(date);
  return (
    <li>
      <RouteLink to={toConversation(id)} className="earlier">
        <Icon path={ICONS[channel]} />
        <span className="visually-hidden">{t(`channel_${channel}`)}</span>
        <span className="truncate" dir="auto" title={firstWords}>
          {firstWords || skill?.name || t('untitled', { id })}
        </span>
        <time className="small" dateTime={createdAt} title={exact}>
          {day}
        </time>
      </RouteLink>
    </li>
  );
}
