import { useRef, useState } from 'react';
import type { Answer } from '../../shared/api/request.ts';
import { Button } from '../../shared/components/Button.tsx';
import { Icon } from '../../shared/components/Icon.tsx';
import { Segments } from '../../shared/components/Segments.tsx';
import { Switch } from '../../shared/components/Switch.tsx';
import type { ToastContent } from '../../shared/components/Toast.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { useWait } from '../../shared/frame/useWait.ts';
import { FaultBoundary } from '../../shared/page/FaultBoundary.tsx';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { BackToList } from '../frame/BackToList.tsx';
import { useToast } from '../frame/ToastContext.tsx';
import { INBOX } from '../icons.ts';
import { MessageLeftRow } from './MessageLeftRow.tsx';
import { assignMessageLeft, type MessageLeft, reopenMessageLeft, resolveMessageLeft } from './messages-left.ts';
import { messagesLeftTexts } from './texts.ts';
import { useMessagesLeft } from './useMessagesLeft.ts';

type List = 'open' | 'done';

/** What visitors left when no operator was there: to answer by mail, and to mark as done. */
export function MessagesLeftView() {
  const t = useTexts(messagesLeftTexts);
  const common = useTexts(commonTexts);
  const viewerId = useDesk((state) => state.viewer.id);
  const [list, setList] = useState<List>('open');
  const [isMineOnly, setMineOnly] = useState(false);
  const showToast = useToast();
  const heading = useRef<HTMLHeadingElement>(null);
  const { found, failure, reload, loadOlder, change } = useMessagesLeft({
    done: list === 'done',
    ...(isMineOnly && { operatorId: viewerId }),
  });
  const wait = useWait(failure);

  /** The row is gone then, and the focus with it. */
  const move = async (run: () => Promise<Answer<unknown>>, shown: ToastContent) => {
    if (!(await change(run))) return;
    heading.current?.focus();
    showToast(shown);
  };
  const resolve = ({ id, name, email }: MessageLeft) => {
    const undo = { label: t('undo'), onPress: () => move(() => reopenMessageLeft(id), { text: t('reopened') }) };
    move(() => resolveMessageLeft(id), { text: t('markedDone', { name: name || email }), action: undo });
  };
  const reopen = ({ id }: MessageLeft) => move(() => reopenMessageLeft(id), { text: t('reopened') });
  const assign = ({ id }: MessageLeft, operatorId: string | null) => change(() => assignMessageLeft(id, operatorId));
  return (
    <div className="messages-left">
      <div className="messages-left-head">
        <BackToList />
        <h2 ref={heading} tabIndex={-1}>
          {t('title')}
        </h2>
        <Segments
          label={t('list')}
          isLabelHidden
          value={list}
          options={{ open: t('open'), done: t('done') }}
          onChange={setList}
        />
        <Switch label={t('mineOnly')} isOn={isMineOnly} onChange={setMineOnly} />
      </div>
      {failure && (
        <div className="messages-left-failure">
          <FailureBanner failure={failure} wait={wait} />
          {failure.kind !== 'loggedOut' && <Button onPress={reload}>{common('tryAgain')}</Button>}
        </div>
      )}
      {found === undefined && failure === undefined && <Skeleton />}
      {found?.messages.length === 0 && <Empty list={list} isMineOnly={isMineOnly} />}
      <ul className="messages-left-list">
        {found?.messages.map((message) => (
          <FaultBoundary
            key={message.id}
            part="desk: message left"
            fallback={() => <li className="message-left">{message.text}</li>}
          >
            <MessageLeftRow
              message={message}
              viewerId={viewerId}
              onResolve={() => resolve(message)}
              onReopen={() => reopen(message)}
              onAssign={(operatorId) => assign(message, operatorId)}
            />
          </FaultBoundary>
        ))}
      </ul>
      {found?.hasOlder && <Button onPress={loadOlder}>{t('older')}</Button>}
    </div>
  );
}

function Empty({ list, isMineOnly }: { readonly list: List; readonly isMineOnly: boolean }) {
  const t = useTexts(messagesLeftTexts);
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon path={INBOX} />
      </span>
      <h3>{list === 'open' ? t('noneOpen') : t('noneDone')}</h3>
      <p>{isMineOnly ? t('noneOfMineHint') : list === 'open' ? t('noneOpenHint') : t('noneDoneHint')}</p>
    </div>
  );
}

function Skeleton() {
  return (
    <div className="messages-left-skeleton" aria-busy="true">
      {['30%', '80%', '65%', '30%', '75%', '50%'].map((width, index) => (
        <span className="skeleton" key={`${index}${width}`} style={{ '--skeleton': width } as object} />
      ))}
    </div>
  );
}
