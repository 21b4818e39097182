import { CHAT } from '../../loader/icons.ts';
import { findOffer } from '../../settings.ts';
import { describeTime } from '../../words.ts';
import type { Chat } from '../chat.ts';
import type { View } from '../state/view.ts';
import { DOWN, Icon, LampState } from './Icon.tsx';
import { IconButton } from './IconButton.tsx';

export function Head({ chat, view }: { readonly chat: Chat; readonly view: View }) {
  const { conversation } = chat.state;
  const Menu = chat.part?.Menu;
  const pseudo = conversation?.operator?.pseudo;
  return (
    <div class="panel-head">
      <span class="avatar" aria-hidden="true">
        {pseudo ? initialsOf(pseudo) : <Icon d={CHAT} />}
      </span>
      <div class="who">
        <h2 class={view === 'survey' ? '' : 'truncate'}>
          {view === 'survey' ? chat.text('surveyTitle') : (pseudo ?? chat.text('title'))}
        </h2>
        <Detail chat={chat} view={view} />
      </div>
      {Menu && conversation && <Menu />}
      <IconButton icon={DOWN} label={chat.text('minimize')} onClick={() => chat.close()} />
    </div>
  );
}

/** The line under the name: what to expect now. */
function Detail({ chat, view }: { readonly chat: Chat; readonly view: View }) {
  const { conversation, settings } = chat.state;
  if (conversation?.state === 'CLOSED') return <span class="small">{chat.text('ended')}</span>;
  if (conversation?.operator) return <span class="small">{chat.text('title')}</span>;
  if (conversation?.queuePosition) return <LampState lamp="busy" text={chat.text('busy')} />;
  if (conversation) return <LampState lamp="available" text={chat.text('connecting')} />; // an operator is asked
  if (!settings.isOpen) {
    const time = settings.opensAt && describeTime(new Date(settings.opensAt), new Date(), chat.locale);
    return (
      <LampState
        lamp="offline"
        text={[chat.text('closed'), ...(time ? [chat.text('opensAt', { time })] : [])].join(' · ')}
      />
    );
  }
  const offer = findOffer(settings);
  if (offer === 'chat') return <LampState lamp="available" text={chat.text('available')} />;
  if (offer === 'queue' || view !== 'leave') return <LampState lamp="busy" text={chat.text('busy')} />;
  return <LampState lamp="offline" text={chat.text('unavailable')} />;
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  return [words[0], ...(words.length > 1 ? [words.at(-1)] : [])]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toLocaleUpperCase();
}
