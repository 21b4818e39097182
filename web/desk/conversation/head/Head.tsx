import { memo, useEffect, useState } from 'react';
import { Button, IconButton } from '../../../shared/components/Button.tsx';
import type { IconPath } from '../../../shared/components/icons.ts';
import { describeLanguage } from '../../../shared/format/language-name.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import { useVisitorName } from '../../frame/useVisitorName.ts';
import type { ConversationFacts } from '../../state/facts.ts';
import { CHEVRON_LEFT, CLOSE_CONVERSATION, NOTE, PANEL, TRANSFER } from '../icons.ts';
import { conversationTexts } from '../texts.ts';
import type { HeadActions } from './actions.ts';
import { describeDuration } from './describe-duration.ts';
import { HeadMenu } from './HeadMenu.tsx';

interface HeadProps {
  readonly conversation: ConversationFacts;
  /** Without them the conversation can only be read. */
  readonly actions: HeadActions | undefined;
  readonly onBack: (() => void) | undefined;
  readonly onShowVisitor: (() => void) | undefined;
}

const CHANNEL_TEXTS = { CHAT: 'chat', CALL: 'call', VIDEO: 'video' } as const;

/** Who, about what, since when, and what can be done. */
export const Head = memo(function Head({ conversation, actions, onBack, onShowVisitor }: HeadProps) {
  const t = useTexts(conversationTexts);
  const nameVisitor = useVisitorName();
  const { locale } = useLanguage();
  const { channel, website, skill, language, visitor } = conversation;
  const duration = useDuration(conversation);
  const facts = [website?.label, t(CHANNEL_TEXTS[channel]), skill?.name, describeLanguage(language, locale), duration];
  const text = facts.filter(Boolean).join(' · ');
  return (
    <header className="conversation-head">
      {onBack && (
        <span className="head-back">
          <IconButton icon={CHEVRON_LEFT} label={t('back')} onPress={onBack} />
        </span>
      )}
      <span className="conversation-who">
        <h2 className="truncate">{nameVisitor(visitor)}</h2>
        <span className="small truncate" title={text}>
          {text}
        </span>
      </span>
      {actions && (
        <span className="head-actions">
          <HeadButton kind="quiet" icon={TRANSFER} label={t('transfer')} onPress={actions.onTransfer} />
          <HeadButton kind="quiet" icon={NOTE} label={t('note')} onPress={actions.onNote} />
          <HeadButton icon={CLOSE_CONVERSATION} label={t('close')} onPress={actions.onClose} />
        </span>
      )}
      {onShowVisitor && (
        <span className="head-visitor">
          <IconButton icon={PANEL} label={t('showVisitor')} onPress={onShowVisitor} />
        </span>
      )}
      {actions && <HeadMenu actions={actions} />}
    </header>
  );
});

interface HeadButtonProps {
  readonly icon: IconPath;
  readonly label: string;
  readonly kind?: 'quiet';
  readonly onPress: () => void;
}

/** Where there is little room, the label gives way to a tooltip; screen readers always have it. */
function HeadButton({ label, ...props }: HeadButtonProps) {
  return (
    <Button {...props}>
      <span className="head-label">{label}</span>
      <span className="tooltip" aria-hidden="true">
        {label}
      </span>
    </Button>
  );
}

const AGAIN_MS = 20_000;

function useDuration({ createdAt, acceptedAt, closedAt }: ConversationFacts): string {
  const t = useTexts(conversationTexts);
  const { locale } = useLanguage();
  const clockOffset = useDesk((state) => state.clockOffset);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (closedAt !== null) return;
    const timer = setInterval(() => setNow(Date.now()), AGAIN_MS);
    return () => clearInterval(timer);
  }, [closedAt]);
  const end = closedAt === null ? Math.max(now, Date.now()) - clockOffset : Date.parse(closedAt);
  return describeDuration(end - Date.parse(acceptedAt ?? createdAt), { locale, underMinute: t('underMinute') });
}
