import { type KeyboardEvent, useId, useState } from 'react';
import { succeed } from '../../../shared/api/request.ts';
import { Button } from '../../../shared/components/Button.tsx';
import { Dialog } from '../../../shared/components/Dialog.tsx';
import { Icon } from '../../../shared/components/Icon.tsx';
import { TextArea } from '../../../shared/components/TextArea.tsx';
import { FailureBanner } from '../../../shared/frame/FailureBanner.tsx';
import { useAttempt } from '../../../shared/frame/useAttempt.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDeskActions } from '../../DeskContext.tsx';
import { useToast } from '../../frame/ToastContext.tsx';
import { useVisitorName } from '../../frame/useVisitorName.ts';
import type { DeskConversation } from '../../state/model.ts';
import { useDraft } from '../composer/useDraft.ts';
import { SEARCH } from '../icons.ts';
import { conversationTexts } from '../texts.ts';
import { TargetRow } from './TargetRow.tsx';
import { TargetTabs } from './TargetTabs.tsx';
import { findNextTarget, listTargets, TARGET_KINDS, type Target, type TargetKind, toTransferInput } from './targets.ts';
import { useTargets } from './useTargets.ts';

const FIND_TEXTS = { operator: 'findOperator', skill: 'findSkill', group: 'findGroup' } as const;
const KIND_TEXTS = { operator: 'transferOperator', skill: 'transferSkill', group: 'transferGroup' } as const;

interface TransferDialogProps {
  readonly conversation: DeskConversation;
  readonly onClose: () => void;
  readonly onTransferred: (() => void) | undefined;
}

/** The focus stays in the search: the arrow keys choose, Enter transfers. */
export function TransferDialog({ conversation, onClose, onTransferred }: TransferDialogProps) {
  const t = useTexts(conversationTexts);
  const nameVisitor = useVisitorName();
  const name = nameVisitor(conversation.visitor);
  const { language } = useLanguage();
  const { transfer } = useDeskActions();
  const listId = useId();
  const [kind, setKind] = useState<TargetKind>('operator');
  const [text, setText] = useState('');
  const [chosenId, setChosenId] = useState<string>();
  const [note, setNote] = useDraft(`${conversation.id}:transfer`);
  const { targets, isLoaded, isLost, failure: targetsFailure } = useTargets(conversation.id, text);
  const list = listTargets(targets, kind, text);
  // What was chosen, as long as it is there; else the first one that can take the conversation.
  const index = Math.max(
    list.findIndex(({ id, canTake }) => id === chosenId && canTake),
    -1,
  );
  const chosenIndex = index >= 0 ? index : findNextTarget(list, -1, 1);
  const chosen: Target | undefined = list[chosenIndex];
  const show = useToast();
  const { start, isPending, failure, wait } = useAttempt(
    async (target: Target) => {
      const answer = await transfer(conversation.id, toTransferInput(target), note.trim());
      return answer.ok ? succeed(target) : answer;
    },
    (target) => {
      setNote('');
      onClose();
      show({ text: t('transferredToast', { name, target: target.name }) });
      onTransferred?.();
    },
  );
  const changeKind = (next: TargetKind) => {
    setKind(next);
    setText('');
    setChosenId(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = list[findNextTarget(list, chosenIndex, step)];
    setChosenId(next?.id);
    document.getElementById(`${listId}-${next?.id}`)?.scrollIntoView({ block: 'nearest' });
  };
  const shortName = nameVisitor(conversation.visitor, 'short');
  return (
    <Dialog title={t('transferTitle', { name })} onCancel={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen) start(chosen);
        }}
      >
        <TargetTabs
          label={t('transferTo')}
          kind={kind}
          options={TARGET_KINDS.map((each) => ({ kind: each, name: t(KIND_TEXTS[each]) }))}
          panelId={listId}
          onChange={changeKind}
        />
        <FailureBanner failure={failure ?? targetsFailure} wait={wait} />
        <span className="search">
          <Icon path={SEARCH} />
          <input
            className="input"
            role="combobox"
            data-first-focus=""
            aria-label={t(FIND_TEXTS[kind])}
            aria-expanded
            aria-autocomplete="list"
            aria-controls={listId}
            aria-activedescendant={chosen && `${listId}-${chosen.id}`}
            placeholder={t(FIND_TEXTS[kind])}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </span>
        <div className="targets" id={listId} role="listbox" aria-label={t(KIND_TEXTS[kind])} aria-busy={!isLoaded}>
          {list.map((target) => (
            <TargetRow
              key={target.id}
              id={`${listId}-${target.id}`}
              target={target}
              need={conversation}
              isChosen={target === chosen}
              onChoose={() => setChosenId(target.id)}
            />
          ))}
        </div>
        {list.length === 0 && (
          <p className="muted" role="status">
            {isLoaded ? t('noTarget') : isLost ? t('targetsWhenBack') : !targetsFailure && t('targetsLoading')}
          </p>
        )}
        <TextArea
          label={chosen ? t('transferNoteFor', { target: chosen.name }) : t('transferNote')}
          hint={t('transferNoteHint', { name: shortName })}
          rows={2}
          lang={language}
          maxLength={10_000}
          value={note}
          onChange={setNote}
        />
        <div className="dialog-actions">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button kind="primary" type="submit" isPending={isPending} isDisabled={chosen === undefined}>
            {chosen ? t('transferAction', { target: chosen.name }) : t('chooseTarget')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
