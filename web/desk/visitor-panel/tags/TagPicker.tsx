import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useReading } from '../../../shared/api/useReading.ts';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import type { Named } from '../../state/model.ts';
import { PanelFailure } from '../PanelFailure.tsx';
import { visitorPanelTexts } from '../texts.ts';
import { findTags } from './find-tags.ts';
import { readTags } from './tags-query.ts';

interface TagPickerProps {
  readonly websiteId: string;
  readonly present: readonly Named[];
  readonly onPick: (tag: Named) => void;
  readonly onEnd: () => void;
}

/** A field above its list: the focus stays in the field, the arrow keys choose, Enter adds, Escape ends. */
export function TagPicker({ websiteId, present, onPick, onEnd }: TagPickerProps) {
  const t = useTexts(visitorPanelTexts);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const { value: all, failure, reload } = useReading(websiteId, () => readTags(websiteId));
  const found = findTags(all ?? [], present, typed);
  const place = Math.min(chosen, found.length - 1);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    list.current?.children[place]?.scrollIntoView({ block: 'nearest' });
  }, [place]);
  const pick = (tag: Named | undefined) => {
    if (tag === undefined) return;
    onPick(tag);
    setTyped('');
    setChosen(0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) setChosen((place + step + found.length) % found.length);
    else if (event.key === 'Enter') pick(found[place]);
    else if (event.key === 'Escape') onEnd();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const leave = (event: FocusEvent<HTMLDivElement>) => {
    if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget)) onEnd();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: ends when the focus goes elsewhere
    <div className="tag-picker" onBlur={leave}>
      {failure && <PanelFailure failure={failure} onRetry={reload} />}
      <input
        className="input"
        ref={input}
        type="text"
        role="combobox"
        aria-label={t('findTag')}
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${place}` : undefined}
        autoComplete="off"
        maxLength={100}
        placeholder={t('findTag')}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      {/* The field keeps the focus. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the list is used from the field */}
      <div className="tag-options" onMouseDown={(event) => event.preventDefault()}>
        <div id={`${id}-list`} role="listbox" aria-label={t('tags')} ref={list}>
          {found.map((tag, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
            // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the field
            <div
              className="tag-option"
              key={tag.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === place}
              onMouseMove={() => setChosen(index)}
              onClick={() => pick(tag)}
            >
              {tag.name}
            </div>
          ))}
        </div>
        {all !== undefined && found.length === 0 && (
          <p className="small" role="status">
            {typed.trim() === '' ? t('noMoreTags') : t('noSuchTag')}
          </p>
        )}
      </div>
    </div>
  );
}
