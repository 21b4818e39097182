import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Chat } from '../../chat.ts';
import { countUnread, findLastSeen, findLastSequence } from '../../state/messages.ts';
import type { Engine } from '../engine.ts';
import { listRows } from '../rows.ts';
import { formatDay } from '../times.ts';
import { MessageRow } from './MessageRow.tsx';

/** How far from the end the list still follows new messages. */
const END_PIXELS = 40;

/** Follows new messages while the visitor is at the end of the list; otherwise nothing moves. */
export function Messages({ chat, engine }: { readonly chat: Chat; readonly engine: Engine }) {
  const { messages, outbox, conversation, typing, isOpen, problem } = chat.state;
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lastTop = useRef(0);
  const [isFollowing, setFollowing] = useState(true);
  const rows = useMemo(() => listRows(messages, outbox), [messages, outbox]);
  const lastSeen = conversation && findLastSeen(conversation, messages);
  const isWaiting = conversation?.state === 'QUEUED' || conversation?.state === 'OFFERED';

  const goToEnd = () => list.current?.scrollTo({ top: list.current.scrollHeight });
  const noteSeen = () => {
    if (isAtEnd.current) engine.noteSeen(findLastSequence(chat.state.messages));
  };
  useLayoutEffect(() => {
    if (isAtEnd.current || outbox.length > 0) goToEnd();
    noteSeen();
  }, [rows, typing, isOpen, problem]);
  useEffect(() => {
    // The keyboard of a phone, and images that arrive, change the sizes.
    const observer = new ResizeObserver(() => isAtEnd.current && goToEnd());
    for (const each of [list.current, list.current?.firstElementChild]) if (each) observer.observe(each);
    document.addEventListener('visibilitychange', noteSeen);
    return () => {
      observer.disconnect();
      document.removeEventListener('visibilitychange', noteSeen);
    };
  }, []);

  return (
    <div class="messages-area">
      <div
        class="messages"
        ref={list}
        {...{ tabIndex: 0, role: 'group', 'aria-label': chat.text('messages') }} // it scrolls: the keyboard must reach it
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          const isNearEnd = scrollHeight - scrollTop - clientHeight < END_PIXELS;
          // Sizes can have changed since a scroll of ours: only who scrolls up leaves the end.
          isAtEnd.current = isNearEnd || (isAtEnd.current && scrollTop >= lastTop.current);
          lastTop.current = scrollTop;
          setFollowing(isAtEnd.current);
          noteSeen();
        }}
      >
        <div class="log" role="log" aria-live="polite" data-new={isWaiting || undefined}>
          {rows.map((row) => {
            if (row.kind === 'day') {
              return (
                <p class="day" key={row.key}>
                  {formatDay(row.at, new Date(), chat.locale)}
                </p>
              );
            }
            if (row.kind === 'notice') {
              return (
                <p class="notice" key={row.key}>
                  {row.text}
                </p>
              );
            }
            const isSeen = row.message !== undefined && row.message.sequence === lastSeen;
            return <MessageRow key={row.key} {...{ chat, engine, row, isSeen }} />;
          })}
          {isWaiting && <p class="notice">{chat.text('waitingHint')}</p>}
        </div>
        {typing !== undefined && (
          <span class="typing" aria-hidden="true">
            <i />
            {chat.text('typing', { pseudo: typing || chat.text('operator') })}
          </span>
        )}
      </div>
      {!isFollowing && countUnread(chat.state) > 0 && (
        <button type="button" class="button to-end" onClick={goToEnd}>
          {chat.text('newMessages')}
        </button>
      )}
    </div>
  );
}
