import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Chat } from '../../chat.ts';
import { IconButton } from '../../parts/IconButton.tsx';
import type { Engine } from '../engine.ts';
import { writeTranscript } from '../transcript.ts';
import { MORE } from './icons.ts';

/** What can be done with a conversation. Without one there is no menu. */
export function Menu({ chat, engine }: { readonly chat: Chat; readonly engine: Engine }) {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const { conversation, isEnding } = chat.state;
  const focusButton = () => menu.current?.querySelector('button')?.focus();
  // The question before the end took the focus, and nothing else takes it back.
  useEffect(() => (isEnding ? focusButton : undefined), [isEnding]);
  // Before the next key arrives.
  useLayoutEffect(() => {
    if (isOpen) menu.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [isOpen]);
  if (!conversation) return null;

  const close = () => {
    setOpen(false);
    focusButton();
  };
  const item = (text: string, action: () => void) => (
    <button
      {...{ type: 'button', role: 'menuitem', class: 'menu-item', tabIndex: -1 }}
      onClick={() => {
        close();
        action();
      }}
    >
      {text}
    </button>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of what is in it
    <div
      class="menu-anchor"
      ref={menu}
      onKeyDown={(event) => {
        if (!isOpen) return;
        if (event.key === 'Escape') close();
        else if (!moveFocus(event.currentTarget, event.key)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (!menu.current?.contains(relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <IconButton
        icon={MORE}
        label={chat.text('options')}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => (isOpen ? close() : setOpen(true))}
      />
      {isOpen && (
        <div class="menu" role="menu" aria-label={chat.text('options')}>
          {item(chat.text('transcript'), () => saveTranscript(chat))}
          {conversation.state === 'CLOSED'
            ? item(chat.text('newConversation'), () => engine.forget())
            : item(chat.text('end'), () => chat.set({ isEnding: true }))}
        </div>
      )}
    </div>
  );
}

function moveFocus(menu: HTMLElement, key: string): boolean {
  const items = [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const present = items.findIndex((each) => each.matches(':focus'));
  const targets: Record<string, number> = { ArrowDown: present + 1, ArrowUp: present - 1, Home: 0, End: -1 };
  const target = targets[key];
  if (target === undefined) return false;
  items.at(target % items.length)?.focus();
  return true;
}

function saveTranscript(chat: Chat): void {
  const text = writeTranscript(chat.state.messages, {
    ...{ title: chat.text('title'), you: chat.text('you'), operator: chat.text('operator'), locale: chat.locale },
  });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  link.download = `chat-${chat.state.conversation?.id}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
