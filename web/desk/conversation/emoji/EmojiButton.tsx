import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../../shared/components/Button.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { LaterPopup } from '../../later/LaterPopup.tsx';
import { SMILE } from '../icons.ts';
import { conversationTexts } from '../texts.ts';

/** Opens the picker, which is loaded then. */
export function EmojiButton({ onChoose }: { readonly onChoose: (emoji: string) => void }) {
  const t = useTexts(conversationTexts);
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: PointerEvent) => {
      if (!place.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);
  return (
    <span className="emoji-place" ref={place}>
      <IconButton
        ref={button}
        icon={SMILE}
        label={t('emoji')}
        aria-expanded={isOpen}
        onPress={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <LaterPopup onOpenChange={setOpen}>
          {({ EmojiPicker }) => (
            <EmojiPicker
              onChoose={(emoji) => {
                setOpen(false);
                onChoose(emoji);
              }}
              onCancel={() => {
                setOpen(false);
                button.current?.focus();
              }}
            />
          )}
        </LaterPopup>
      )}
    </span>
  );
}
