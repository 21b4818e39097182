import type { Chat } from '../../chat.ts';

/** The place in the queue; the time only if the service gives an honest one. */
export function QueuePlace({ chat }: { readonly chat: Chat }) {
  const { conversation } = chat.state;
  if (!conversation || conversation.state === 'ACTIVE' || conversation.state === 'CLOSED') return null;
  const { queuePosition, estimatedWaitSeconds } = conversation;
  const minutes = estimatedWaitSeconds === null ? 0 : Math.max(1, Math.round(estimatedWaitSeconds / 60));
  return (
    <div class="queue-place" role="status">
      {queuePosition && <b aria-hidden="true">{queuePosition}</b>}
      <span class="strong">
        {queuePosition ? chat.text('waitingPlace', { place: queuePosition }) : chat.text('waiting')}
      </span>
      <span class="small">
        {minutes > 0 && `${chat.text('waitingMinutes', { minutes })} `}
        {chat.text('keepPlace')}
      </span>
    </div>
  );
}
