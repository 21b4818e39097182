import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { fillCannedReply } from '../../conversation/canned/canned-replies.ts';
import { useDesk } from '../../DeskContext.tsx';
import { cannedTexts } from './texts.ts';

interface ReplyPreviewProps {
  readonly text: string;
  readonly language: string | null;
}

/** How it looks with a visitor. */
export function ReplyPreview({ text, language }: ReplyPreviewProps) {
  const t = useTexts(cannedTexts);
  const pseudo = useDesk((state) => state.viewer.pseudo);
  if (!text.includes('{{')) return null;
  const values = {
    'visitor.firstname': 'Lea',
    'visitor.name': 'Lea Roux',
    'operator.pseudo': pseudo,
    'website.label': t('exampleWebsite'),
  };
  return (
    <div className="field">
      <span className="field-label">{t('preview')}</span>
      <p className="canned-preview" lang={language ?? undefined} dir="auto">
        {fillCannedReply(text, values)}
      </p>
    </div>
  );
}
