import { type ReactNode, useState } from 'react';
import { Icon } from '../../shared/components/Icon.tsx';
import { useNow } from '../../shared/format/useNow.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useClosingIds } from '../conversation/memory/ConversationMemory.tsx';
import { useDesk } from '../DeskContext.tsx';
import { RouteLink } from '../frame/RouteLink.tsx';
import type { DeskRoute } from '../frame/route.ts';
import { SearchField, type SearchFieldProps } from '../frame/SearchField.tsx';
import { frameTexts } from '../frame/texts.ts';
import { matchesVisitor } from '../frame/visitor-name.ts';
import { INBOX } from '../icons.ts';
import type { DeskConversation } from '../state/model.ts';
import { findMidnight, selectClosed, selectMine } from '../state/select-conversations.ts';
import { ConversationRow } from './ConversationRow.tsx';
import { Offers } from './Offers.tsx';
import { RailSection } from './RailSection.tsx';
import { RowBoundary } from './RowBoundary.tsx';
import { focusRail, moveThroughRows } from './rows.ts';
import { findTabStop } from './tab-stop.ts';
import { railTexts } from './texts.ts';
import { useLostFocus } from './useLostFocus.ts';
import { useStillRows } from './useStillRows.ts';
import { useWaiting, Waiting } from './Waiting.tsx';

interface RailProps {
  readonly route: DeskRoute;
  readonly search: SearchFieldProps;
}

/** Everything that one can work on: offers, own conversations, the queue, what was closed today. */
export function Rail({ route, search }: RailProps) {
  const t = useTexts(railTexts);
  const frame = useTexts(frameTexts);
  const filter = search.value;
  const closingIds = useClosingIds();
  const found = useDesk(selectMine).filter(({ visitor }) => matchesVisitor(visitor, filter));
  const mine = found.filter(({ id }) => !closingIds.has(id));
  const closing = found.filter(({ id }) => closingIds.has(id));
  const midnight = findMidnight(useNow(60_000));
  const closed = useDesk(selectClosed).filter(
    ({ visitor, closedAt }) => Date.parse(closedAt ?? '') >= midnight && matchesVisitor(visitor, filter),
  );
  const messagesLeft = useDesk((state) => state.messagesLeftOpen);
  const { rail, offers } = useStillRows();
  useLostFocus(rail, focusRail);
  const isFiltered = filter.trim() !== '';
  const openId = route.view === 'conversation' ? route.conversationId : undefined;
  const waiting = useWaiting(filter);
  const [focusedId, setFocusedId] = useState<string>();
  const inQueue = (waiting ?? []).map((each) => each.waiting);
  const ids = [mine, inQueue, closing, closed].flat().map(({ id }) => id);
  const tabStop = findTabStop(ids, focusedId, openId);
  const rows = { openId, closingIds, tabStop };
  return (
    <nav
      className="rail"
      aria-label={frame('conversations')}
      onKeyDown={moveThroughRows}
      onFocus={({ target }) => setFocusedId(target.closest<HTMLElement>('[data-row]')?.dataset.row)}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setFocusedId(undefined);
      }}
      ref={rail}
      tabIndex={-1}
    >
      <span className="rail-search">
        <SearchField {...search} />
      </span>
      <div ref={offers}>
        <Offers />
      </div>
      <RailSection title={t('mine')} count={mine.length}>
        <Rows conversations={mine} {...rows}>
          {isFiltered ? t('noMatch') : t('mineEmpty')}
        </Rows>
      </RailSection>
      {waiting && <Waiting found={waiting} {...{ isFiltered, openId, tabStop }} />}
      {closing.length + closed.length > 0 && (
        <RailSection title={t('closedToday')} count={closing.length + closed.length}>
          <Rows conversations={[...closing, ...closed]} {...rows} />
        </RailSection>
      )}
      <div className="rail-end">
        <RouteLink
          className="queue-row rail-link"
          to={{ view: 'messagesLeft' }}
          aria-current={route.view === 'messagesLeft' ? 'page' : undefined}
        >
          <Icon path={INBOX} />
          <span className="truncate">{frame('messagesLeft')}</span>
          <span>{messagesLeft}</span>
        </RouteLink>
      </div>
    </nav>
  );
}

interface RowsProps {
  readonly conversations: readonly DeskConversation[];
  readonly openId: string | undefined;
  readonly closingIds: ReadonlySet<string>;
  readonly tabStop: string | undefined;
  /** In place of no rows. */
  readonly children?: ReactNode;
}

function Rows({ conversations, openId, closingIds, tabStop, children }: RowsProps) {
  if (conversations.length === 0) return <p className="rail-empty">{children}</p>;
  return (
    <ul>
      {conversations.map((conversation) => (
        <li key={conversation.id}>
          <RowBoundary conversationId={conversation.id}>
            <ConversationRow
              conversation={conversation}
              isOpen={conversation.id === openId}
              isClosing={conversation.state !== 'CLOSED' && closingIds.has(conversation.id)}
              isTabStop={conversation.id === tabStop}
            />
          </RowBoundary>
        </li>
      ))}
    </ul>
  );
}
