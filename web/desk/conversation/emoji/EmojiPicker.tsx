import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { fold } from '../../../shared/format/fold.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { conversationTexts } from '../texts.ts';
import { EMOJI_GROUPS, type Emoji } from './emojis.ts';

interface EmojiPickerProps {
  readonly onChoose: (emoji: string) => void;
  readonly onCancel: () => void;
}

const COLUMNS = 8;

/** A small set, by groups. The focus stays in the search; the arrow keys choose. */
export function EmojiPicker({ onChoose, onCancel }: EmojiPickerProps) {
  const t = useTexts(conversationTexts);
  const { language } = useLanguage();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => {
    const wanted = fold(typed.trim());
    return EMOJI_GROUPS.map(({ key, emojis }) => ({
      key,
      emojis: emojis.filter(({ names }) => fold(names[language]).includes(wanted)),
    })).filter(({ emojis }) => emojis.length > 0);
  }, [typed, language]);
  const all: readonly Emoji[] = groups.flatMap(({ emojis }) => emojis);
  const move = (to: number) => {
    const next = Math.max(0, Math.min(all.length - 1, to));
    setChosen(next);
    list.current?.querySelectorAll('[role="option"]')[next]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }[event.key];
    const emoji = all[chosen];
    if (step !== undefined) move(chosen + step);
    else if (event.key === 'Escape') onCancel();
    else if (event.key === 'Enter' && emoji) onChoose(emoji.character);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="popover emoji-picker">
      <input
        className="input"
        // biome-ignore lint/a11y/noAutofocus: the person has just opened it
        autoFocus
        role="combobox"
        aria-label={t('emojiSearch')}
        aria-expanded
        aria-controls="emoji-list"
        aria-activedescendant={all[chosen] && `emoji-${chosen}`}
        placeholder={t('emojiSearch')}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="emoji-list" id="emoji-list" role="listbox" aria-label={t('emoji')} ref={list}>
        {groups.map(({ key, emojis }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options
          <div key={key} role="group" aria-label={t(key)}>
            <span className="field-label" aria-hidden="true">
              {t(key)}
            </span>
            <div className="emoji-grid">
              {emojis.map((emoji) => {
                const index = all.indexOf(emoji);
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the search
                  // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the search
                  <span
                    key={emoji.character}
                    id={`emoji-${index}`}
                    role="option"
                    aria-selected={index === chosen}
                    aria-label={emoji.names[language].split(' ')[0]}
                    title={emoji.names[language]}
                    onClick={() => onChoose(emoji.character)}
                  >
                    {emoji.character}
                  </span>
                );
              })}
            </div>
          </div>
        ))}
        {all.length === 0 && <p className="muted">{t('emojiNone')}</p>}
      </div>
    </div>
  );
}
