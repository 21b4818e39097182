import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Chat } from '../chat.ts';
import { canAttach } from '../state/view.ts';
import { CLIP, UP } from './Icon.tsx';
import { IconButton } from './IconButton.tsx';
import { Problem } from './Problem.tsx';

const MAX_LENGTH = 10_000;

/** The field for messages. Enter sends, Shift and Enter break the line. */
export function Composer({ chat }: { readonly chat: Chat }) {
  const { draft, conversation, sendsAfterUploads, isOpen } = chat.state;
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const isWaiting = conversation?.state === 'QUEUED' || conversation?.state === 'OFFERED';
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto'; // it grows to eight lines
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [draft, isOpen]);
  useEffect(() => {
    // The same field after the text was sent, but not when the panel only comes back with a page.
    if (chat.takesFocus && matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);
  useLayoutEffect(() => {
    const composer = field.current?.closest('.panel-composer');
    // The other side has ended the conversation: the keyboard stays in the panel.
    return () => {
      if (composer?.matches(':focus-within')) composer.closest<HTMLElement>('.panel')?.focus();
    };
  }, []);

  return (
    <>
      <Problem chat={chat} />
      <div class="panel-composer">
        {canAttach(chat.state) && (
          <>
            <IconButton icon={CLIP} label={chat.text('attachFile')} onClick={() => files.current?.click()} />
            <input
              {...{ type: 'file', multiple: true, hidden: true, ref: files }}
              onChange={({ currentTarget }) => {
                chat.part?.addFiles([...(currentTarget.files ?? [])]);
                currentTarget.value = ''; // the same file can be chosen again
              }}
            />
          </>
        )}
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          value={draft}
          maxLength={MAX_LENGTH}
          aria-label={chat.text('message')}
          placeholder={chat.text(isWaiting ? 'addDetail' : 'writeMessage')}
          onInput={({ currentTarget }) => chat.type(currentTarget.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData?.files;
            if (!pasted?.length || !canAttach(chat.state)) return;
            event.preventDefault();
            chat.part?.addFiles(pasted);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            chat.send();
          }}
        />
        <IconButton
          icon={UP}
          kind="primary"
          label={chat.text('send')}
          aria-busy={sendsAfterUploads}
          onClick={() => {
            chat.send();
            field.current?.focus();
          }}
        />
      </div>
    </>
  );
}
