import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chat } from '../chat.ts';
import { canAttach, chooseView } from '../state/view.ts';
import { Composer } from './Composer.tsx';
import { Head } from './Head.tsx';
import { LeaveMessage } from './LeaveMessage.tsx';
import { Linked } from './Linked.tsx';
import { PreChatForm } from './PreChatForm.tsx';
import { useFullScreen } from './useFullScreen.ts';

export function Panel({ chat }: { readonly chat: Chat }) {
  const { isOpen, isEnding, conversation } = chat.state;
  const view = chooseView(chat.state);
  const panel = useRef<HTMLDivElement>(null);
  const [isDropping, setDropping] = useState(false);
  const isFullScreen = useFullScreen(panel, isOpen);
  const { View, Dialog } = chat.part ?? {};
  const pseudo = conversation?.operator?.pseudo;

  // The focus moves into the panel when it opens, and stays in it when its content changes.
  useEffect(() => {
    const { current } = panel;
    if (!isOpen || !current || !chat.takesFocus) return;
    const isFine = matchMedia('(pointer: fine)').matches;
    const field =
      isFine && current.querySelector<HTMLElement>('.panel-form input, .panel-form textarea, .panel-composer textarea');
    (field || current).focus();
  }, [isOpen, view]);

  return (
    <div
      role="dialog"
      {...{ class: 'panel', ref: panel, tabIndex: -1, hidden: !isOpen }}
      aria-label={pseudo ? `${chat.text('title')}: ${pseudo}` : chat.text('title')}
      aria-modal={isFullScreen}
      data-dropping={isDropping || undefined}
      onKeyDown={(event) => {
        if (event.key === 'Escape') chat.close();
        event.stopPropagation(); // shortcuts of the page do not hear what is typed here
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setDropping(canAttach(chat.state));
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropping(false);
        if (canAttach(chat.state)) chat.part?.addFiles(event.dataTransfer?.files ?? []);
      }}
    >
      <div class="panel-content" inert={isEnding}>
        <Head chat={chat} view={view} />
        {view === 'form' && <PreChatForm chat={chat} />}
        {view === 'leave' && <LeaveMessage chat={chat} />}
        {view === 'loading' && <div class="panel-body" aria-busy="true" />}
        {view === 'greeting' && (
          <div class="panel-body">
            <p class="muted">
              <Linked text={chat.text('greeting')} />
            </p>
          </div>
        )}
        {View && <View view={view} />}
        {(view === 'greeting' || view === 'chat') && conversation?.state !== 'CLOSED' && <Composer chat={chat} />}
        <p class="panel-foot">{chat.text('footer')}</p>
      </div>
      {isEnding && Dialog && <Dialog />}
    </div>
  );
}
