import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Chat } from '../../chat.ts';
import type { Engine } from '../engine.ts';

/** Asks before the conversation is ended. The focus starts on Cancel; the rest of the panel is inert meanwhile. */
export function EndDialog({ chat, engine }: { readonly chat: Chat; readonly engine: Engine }) {
  const onClose = () => chat.set({ isEnding: false });
  const cancel = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => cancel.current?.focus(), []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of what is in it
    <div
      class="scrim"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div class="dialog" role="alertdialog" aria-modal="true" aria-labelledby="end-question">
        <p id="end-question" class="strong">
          {chat.text('endQuestion')}
        </p>
        <div class="dialog-actions">
          <button type="button" class="button" ref={cancel} onClick={onClose}>
            {chat.text('cancel')}
          </button>
          <button
            {...{ type: 'button', class: 'button', 'data-kind': 'danger' }}
            onClick={() => {
              onClose();
              chat.run(() => engine.end());
            }}
          >
            {chat.text('end')}
          </button>
        </div>
      </div>
    </div>
  );
}
