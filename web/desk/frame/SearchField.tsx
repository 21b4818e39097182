import type { KeyboardEvent } from 'react';
import { Icon } from '../../shared/components/Icon.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { SEARCH } from '../icons.ts';
import { findFirstRow } from '../rail/rows.ts';
import { frameTexts } from './texts.ts';

export interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Shows the key that leads to the field. */
  readonly hasShortcut: boolean;
}

/** Filters the rail by the visitor's name and address. Enter opens the first row, Escape clears the field. */
export function SearchField({ value, onChange, hasShortcut }: SearchFieldProps) {
  const t = useTexts(frameTexts);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') {
      onChange('');
      event.currentTarget.blur();
    }
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      findFirstRow()?.focus();
    }
    if (event.key === 'Enter' && value.trim() !== '') findFirstRow()?.click();
  };
  return (
    <label className="search">
      <span className="visually-hidden">{t('search')}</span>
      <Icon path={SEARCH} />
      <input
        className="input"
        type="text"
        inputMode="search"
        autoComplete="off"
        spellCheck={false}
        placeholder={t('search')}
        data-search=""
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {hasShortcut && value === '' && (
        <span className="key" aria-hidden="true">
          /
        </span>
      )}
    </label>
  );
}

/** There is one in the bar, and one in the rail for narrow windows: the one that is in sight. */
export function focusSearch(): void {
  const fields = document.querySelectorAll<HTMLInputElement>('[data-search]');
  [...fields].find((field) => field.checkVisibility())?.focus();
}
