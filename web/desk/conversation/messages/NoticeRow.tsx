import { memo } from 'react';
import { useLanguage } from '../../../shared/texts/LanguageContext.tsx';
import type { Message } from '../../state/model.ts';
import { renderNotice } from './notices.ts';
import { formatTime } from './times.ts';

interface NoticeRowProps {
  readonly message: Message;
  /** Of the viewer. */
  readonly pseudo: string;
}

export const NoticeRow = memo(function NoticeRow({ message, pseudo }: NoticeRowProps) {
  const { language, locale } = useLanguage();
  return (
    <p className="notice">
      {renderNotice(message, { language, pseudo })} · {formatTime(message.at, locale)}
    </p>
  );
});
