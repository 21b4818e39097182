import { Avatar } from '../../shared/components/Avatar.tsx';
import { Button } from '../../shared/components/Button.tsx';
import { Icon } from '../../shared/components/Icon.tsx';
import { CHECK } from '../../shared/components/icons.ts';
import { RelativeTime } from '../../shared/format/RelativeTime.tsx';
import { findWebAddress, shortenAddress } from '../../shared/format/web-address.ts';
import { useLanguage, useTexts } from '../../shared/texts/LanguageContext.tsx';
import { MAIL, UNDO } from '../icons.ts';
import { createMailLink } from './mail.ts';
import type { MessageLeft } from './messages-left.ts';
import { messagesLeftTexts } from './texts.ts';

interface MessageLeftRowProps {
  readonly message: MessageLeft;
  readonly viewerId: string;
  readonly onResolve: () => void;
  readonly onReopen: () => void;
  /** Null: it is free again. */
  readonly onAssign: (operatorId: string | null) => void;
}

export function MessageLeftRow({ message, viewerId, onResolve, onReopen, onAssign }: MessageLeftRowProps) {
  const t = useTexts(messagesLeftTexts);
  const { name, email, text, page, createdAt, doneAt, doneBy, operator, website } = message;
  const who = name || email;
  const address = findWebAddress(page);
  const isMine = operator?.id === viewerId;
  return (
    <li className="message-left">
      <article aria-label={t('messageOf', { name: who })}>
        <header>
          <Avatar name={who} />
          <div className="message-left-who">
            <h3 className="truncate">{who}</h3>
            {name !== '' && <span className="small truncate">{email}</span>}
          </div>
          <span className="small">
            <RelativeTime at={createdAt} />
          </span>
        </header>
        <p className="message-left-text" dir="auto">
          {text}
        </p>
        <p className="message-left-facts small">
          <span>{website?.label ?? t('deletedWebsite')}</span>
          {address === undefined ? (
            page !== '' && <span>{page}</span>
          ) : (
            <a href={address} target="_blank" rel="noreferrer" title={page}>
              {shortenAddress(page)}
            </a>
          )}
          {operator && <span>{isMine ? t('assignedToYou') : t('assignedTo', { name: operator.pseudo })}</span>}
          {doneAt !== null && (
            <span>
              {doneBy === null ? t('doneBySystem') : t('doneBy', { name: doneBy.pseudo })} <RelativeTime at={doneAt} />
            </span>
          )}
        </p>
        <div className="message-left-actions">
          <MailLink message={message} />
          {doneAt === null ? (
            <>
              <Button icon={CHECK} onPress={onResolve}>
                {t('markDone')}
              </Button>
              <Button kind="quiet" onPress={() => onAssign(isMine ? null : viewerId)}>
                {isMine ? t('giveBack') : t('assignToMe')}
              </Button>
            </>
          ) : (
            <Button icon={UNDO} onPress={onReopen}>
              {t('reopen')}
            </Button>
          )}
        </div>
      </article>
    </li>
  );
}

/** Opens the mail program, with the message quoted. */
function MailLink({ message }: { readonly message: MessageLeft }) {
  const t = useTexts(messagesLeftTexts);
  const { locale } = useLanguage();
  const { website, name, email, createdAt } = message;
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(createdAt));
  const href = createMailLink(message, {
    subject: website === null ? t('mailSubject') : t('mailSubjectOf', { website: website.label }),
    intro: t('mailIntro', { date, name: name || email }),
  });
  return (
    <a className="button" href={href}>
      <Icon path={MAIL} />
      {t('answerByMail')}
    </a>
  );
}
