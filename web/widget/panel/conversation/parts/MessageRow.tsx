import type { Chat } from '../../chat.ts';
import { Icon } from '../../parts/Icon.tsx';
import { Linked } from '../../parts/Linked.tsx';
import type { Engine } from '../engine.ts';
import type { Row } from '../rows.ts';
import { formatTime } from '../times.ts';
import { FaultBoundary } from './FaultBoundary.tsx';
import { Files } from './Files.tsx';
import { SEEN } from './icons.ts';

interface MessageRowProps {
  readonly chat: Chat;
  readonly engine: Engine;
  readonly row: Extract<Row, { readonly kind: 'message' }>;
  readonly isSeen: boolean;
}

export function MessageRow({ chat, engine, row, isSeen }: MessageRowProps) {
  const { message, outgoing, isSame, isLast, at } = row;
  const isOwn = message?.author !== 'OPERATOR';
  const pseudo = message?.operator?.pseudo || chat.text('operator');
  const text = message?.text ?? outgoing?.text ?? '';
  return (
    <div
      class="message"
      data-from={isOwn ? 'visitor' : 'operator'}
      data-same={isSame || undefined}
      data-delivery={outgoing && (outgoing.failure ? 'failed' : 'pending')}
      data-sequence={message?.sequence}
    >
      <span class="visually-hidden">{isOwn ? chat.text('you') : pseudo}:</span>
      {text && (
        <p class="bubble" dir="auto">
          <FaultBoundary chat={chat} part="message" fallback={text}>
            <Linked text={text} />
          </FaultBoundary>
        </p>
      )}
      {message && <Files {...{ chat, engine, message }} />}
      {outgoing?.files.map(({ id, name }) => (
        <p class="bubble" key={id}>
          {name}
        </p>
      ))}
      {outgoing?.failure ? (
        <span class="message-meta">
          {chat.text('notSent')}
          <button
            {...{ type: 'button', class: 'button', 'data-kind': 'quiet', 'data-size': 'small' }}
            onClick={() => engine.outbox.retry(outgoing.clientId)}
          >
            {chat.text('retry')}
          </button>
        </span>
      ) : (
        (isLast || isSeen) && (
          <span class="message-meta">
            {outgoing ? chat.text('sending') : `${isOwn ? '' : `${pseudo} · `}${formatTime(at, chat.locale)}`}
            {isSeen && <Icon d={SEEN} />}
            {isSeen && chat.text('seen')}
          </span>
        )
      )}
    </div>
  );
}
