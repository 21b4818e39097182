import { memo } from 'react';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import type { Note } from '../../state/model.ts';
import { conversationTexts } from '../texts.ts';
import { NoteBox } from './NoteBox.tsx';
import { formatTime } from './times.ts';

interface NoteRowProps {
  readonly note: Note;
  readonly viewerId: string;
}

export const NoteRow = memo(function NoteRow({ note, viewerId }: NoteRowProps) {
  const t = useTexts(conversationTexts);
  const { locale } = useLanguage();
  const { operator } = note;
  const author = operator?.id === viewerId ? t('noteByYou') : t('noteBy', { name: operator?.pseudo ?? t('operator') });
  return <NoteBox head={`${author} · ${t('onlyOperators')} · ${formatTime(note.at, locale)}`} text={note.text} />;
});
