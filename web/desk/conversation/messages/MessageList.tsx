import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import { Button } from '../../../shared/components/Button.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useVisitorName } from '../../frame/useVisitorName.ts';
import { listMessageItems } from '../../state/message-items.ts';
import type { DeskConversation, Viewer } from '../../state/model.ts';
import { listMessagesFor } from '../../state/own-absences.ts';
import { ARROW_DOWN } from '../icons.ts';
import { conversationTexts } from '../texts.ts';
import { Announcer } from './Announcer.tsx';
import { ListRow } from './ListRow.tsx';
import { useEarlierMessages } from './useEarlierMessages.ts';
import { useMarkRead } from './useMarkRead.ts';
import { useTyping } from './useTyping.ts';

interface MessageListProps {
  readonly conversation: DeskConversation;
  readonly viewer: Viewer;
  readonly isReadOnly: boolean;
}

/** How far from the end, in pixels, still counts as the end. */
const NEAR_END = 32;
const NEAR_START = 400;

/**
 * Stays at the end while the reader is there, and does not move while the reader is further up. Only the items in sight
 * are in the document. For another conversation it needs another `key`.
 */
export function MessageList({ conversation, viewer, isReadOnly }: MessageListProps) {
  const t = useTexts(conversationTexts);
  const nameVisitor = useVisitorName();
  const { id, messages, notes, pending, readByVisitorUpTo } = conversation;
  const { operator } = conversation;
  const shown = useMemo(() => listMessagesFor(viewer, { messages, operator }), [viewer, messages, operator]);
  const items = useMemo(() => listMessageItems({ messages: shown, notes, pending }), [shown, notes, pending]);
  const isTyping = useTyping(conversation.visitorTypingUntil);
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEndNow = useRef(true);
  /** Where the list stood at the last event. */
  const last = useRef({ top: 0, height: 0 });
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [lastSeen, setLastSeen] = useState(0);
  const earlier = useEarlierMessages(id, messages[0]?.sequence ?? 1);
  const lastSequence = messages.at(-1)?.sequence ?? 0;
  useMarkRead({ conversation, isAtEnd, isReadOnly });

  const goToEnd = () => {
    isAtEndNow.current = true;
    setIsAtEnd(true);
    // Rows that come into sight get their real height then: the observer comes back here.
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  };
  const keepEnd = () => {
    if (isAtEndNow.current) goToEnd();
  };
  const loadEarlier = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {};
    // Not while the list is on its way to the end, unless there is too little to scroll.
    if (scrollTop < NEAR_START && (!isAtEndNow.current || scrollHeight <= clientHeight)) earlier.load();
  };
  const lastPending = pending.at(-1)?.clientId;
  // What a person has just written is shown, wherever they are.
  useLayoutEffect(() => {
    if (lastPending !== undefined) goToEnd();
  }, [lastPending]);
  // Whenever something is added at the end.
  useLayoutEffect(keepEnd, [items, isTyping]);
  // What an observer calls is that of the last rendering.
  const onResize = useRef(() => {});
  useLayoutEffect(() => {
    onResize.current = () => {
      keepEnd();
      loadEarlier();
    };
  });
  // The composer grows, the window changes, a font arrives.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => onResize.current());
    const element = scroller.current;
    if (element) for (const each of [element, ...element.children]) observer.observe(each);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const nowAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_END;
    // Only the reader leaves the end: rows that get their real height move it as well.
    const isByReader = scrollTop < last.current.top && scrollHeight === last.current.height;
    last.current = { top: scrollTop, height: scrollHeight };
    if (!nowAtEnd && isAtEndNow.current && !isByReader) return keepEnd();
    if (nowAtEnd !== isAtEndNow.current) {
      isAtEndNow.current = nowAtEnd;
      setIsAtEnd(nowAtEnd);
      if (!nowAtEnd) setLastSeen(lastSequence);
    }
    loadEarlier();
  };

  const newCount = isAtEnd
    ? 0
    : messages.filter((each) => each.sequence > lastSeen && each.author === 'VISITOR').length;
  const visitorName = nameVisitor(conversation.visitor);
  return (
    <div className="message-area">
      {/* A screen reader would read items again when they come back into sight: the announcer reads new ones once. */}
      <div
        className="messages message-scroll"
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label={t('messages')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        onScroll={onScroll}
      >
        <div className="message-start">
          {earlier.status === 'loading' && <span role="status">{t('loadingEarlier')}</span>}
          {earlier.status === 'failed' && (
            <Button size="small" kind="quiet" onPress={earlier.retry}>
              {t('loadEarlierFailed')}
            </Button>
          )}
        </div>
        <Virtualizer scrollRef={scroller} data={items} shift={earlier.isPrepending} itemSize={64}>
          {(item, index) => (
            <ListRow
              key={item.key}
              item={item}
              previous={items[index - 1]}
              conversationId={id}
              readByVisitorUpTo={readByVisitorUpTo}
              viewer={viewer}
              visitorName={visitorName}
            />
          )}
        </Virtualizer>
        {isTyping && (
          <span className="typing">
            <i aria-hidden="true" />
            {t('typing', { name: nameVisitor(conversation.visitor, 'short') })}
          </span>
        )}
      </div>
      {!isAtEnd && (
        <span className="jump-to-end">
          <Button icon={ARROW_DOWN} onPress={goToEnd}>
            {newCount === 0
              ? t('jumpToNewest')
              : newCount === 1
                ? t('oneNewMessage')
                : t('newMessages', { count: newCount })}
          </Button>
        </span>
      )}
      <Announcer conversation={conversation} messages={shown} viewer={viewer} />
    </div>
  );
}
