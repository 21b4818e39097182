import type { Chat } from '../../chat.ts';

interface EndedProps {
  readonly chat: Chat;
  readonly hasSurvey: boolean;
  onAgain(): void;
}

export function Ended({ chat, hasSurvey, onAgain }: EndedProps) {
  const { closeReason } = chat.state.conversation ?? {};
  const reasons = { IDLE: 'endedIdle', NOBODY_COULD_SERVE: 'endedNoOperator', VISITOR_LEFT: 'endedAway' } as const;
  return (
    <div class="ended">
      <p role="status">{chat.text(closeReason ? reasons[closeReason] : 'ended')}</p>
      {hasSurvey && (
        <button type="button" class="button" data-kind="primary" onClick={() => chat.set({ page: 'survey' })}>
          {chat.text('surveyTitle')}
        </button>
      )}
      <button {...{ type: 'button', class: 'button', 'data-kind': hasSurvey ? 'quiet' : 'primary' }} onClick={onAgain}>
        {chat.text('newConversation')}
      </button>
    </div>
  );
}
