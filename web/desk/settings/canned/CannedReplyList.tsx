import { type ReactNode, useState } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { TextField } from '../../../shared/components/TextField.tsx';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { describeOwner, describeReplyLanguage } from './describe-reply.ts';
import { filterReplies, type OwnedReply } from './reply.ts';
import { cannedTexts } from './texts.ts';

interface CannedReplyListProps {
  readonly replies: readonly OwnedReply[];
  /** Has the form in its place. */
  readonly editedId: string | undefined;
  readonly onEdit: (reply: OwnedReply) => void;
  readonly onDelete: (reply: OwnedReply) => void;
  readonly renderForm: (reply: OwnedReply) => ReactNode;
}

export function CannedReplyList({ replies, editedId, onEdit, onDelete, renderForm }: CannedReplyListProps) {
  const t = useTexts(cannedTexts);
  const [typed, setTyped] = useState('');
  const found = filterReplies(replies, typed);
  if (replies.length === 0) return <p className="muted">{t('none')}</p>;
  return (
    <>
      <div className="canned-filter">
        <TextField
          label={t('filter')}
          type="search"
          autoComplete="off"
          maxLength={100}
          value={typed}
          onChange={setTyped}
        />
        <span className="small" role="status">
          {typed.trim() === '' ? t('count', { count: replies.length }) : t('found', { count: found.length })}
        </span>
      </div>
      <ul className="canned-list">
        {found.map((reply) => (
          <li key={reply.id}>
            {reply.id === editedId ? (
              renderForm(reply)
            ) : (
              <Row reply={reply} onEdit={() => onEdit(reply)} onDelete={() => onDelete(reply)} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  readonly reply: OwnedReply;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function Row({ reply, onEdit, onDelete }: RowProps) {
  const t = useTexts(cannedTexts);
  const { locale } = useLanguage();
  const { shortcut, text, language, canEdit } = reply;
  return (
    <div className="canned-row">
      <div className="canned-who">
        <strong className="strong">/{shortcut}</strong>
        <span className="small">
          {describeOwner(reply, t)} · {describeReplyLanguage(language, locale, t)}
        </span>
      </div>
      <p className="canned-text" lang={language ?? undefined} dir="auto">
        {text}
      </p>
      {canEdit && (
        <div className="canned-actions">
          <Button size="small" kind="quiet" aria-label={t('editNamed', { shortcut })} onPress={onEdit}>
            {t('edit')}
          </Button>
          <Button size="small" kind="quiet" aria-label={t('deleteNamed', { shortcut })} onPress={onDelete}>
            {t('delete')}
          </Button>
        </div>
      )}
    </div>
  );
}
