import type { Chat } from '../../chat.ts';
import { canAnswerSurvey, type View } from '../../state/view.ts';
import type { Engine } from '../engine.ts';
import { Banner } from './Banner.tsx';
import { Done } from './Done.tsx';
import { Ended } from './Ended.tsx';
import { Messages } from './Messages.tsx';
import { QueuePlace } from './QueuePlace.tsx';
import { Survey } from './Survey.tsx';
import { UploadRow } from './UploadRow.tsx';

interface ConversationViewProps {
  readonly chat: Chat;
  readonly engine: Engine;
  readonly view: View;
}

/** What the panel shows from the first message on. */
export function ConversationView({ chat, engine, view }: ConversationViewProps) {
  const { uploads, conversation } = chat.state;
  if (view === 'left') {
    return <Done text={chat.text('messageLeft')} action={chat.text('close')} onAction={() => chat.close()} />;
  }
  if (view === 'thanks') {
    return (
      <Done
        {...{ text: chat.text('surveyThanks'), action: chat.text('newConversation') }}
        onAction={() => engine.forget()}
      />
    );
  }
  if (view === 'survey') return <Survey chat={chat} engine={engine} />;
  if (view !== 'chat') return null;
  return (
    <>
      <Banner chat={chat} />
      <QueuePlace chat={chat} />
      <Messages chat={chat} engine={engine} />
      {uploads.map((upload) => (
        <UploadRow key={upload.key} {...{ chat, engine, upload }} />
      ))}
      {conversation?.state === 'CLOSED' && (
        <Ended chat={chat} hasSurvey={canAnswerSurvey(chat.state)} onAgain={() => engine.forget()} />
      )}
    </>
  );
}
