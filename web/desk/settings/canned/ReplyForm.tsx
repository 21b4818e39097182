import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { SelectField } from '../../../shared/components/SelectField.tsx';
import { TextArea } from '../../../shared/components/TextArea.tsx';
import { TextField } from '../../../shared/components/TextField.tsx';
import { FailureBanner } from '../../../shared/frame/FailureBanner.tsx';
import { SubmitButton } from '../../../shared/frame/SubmitButton.tsx';
import { useAttempt } from '../../../shared/frame/useAttempt.ts';
import { commonTexts } from '../../../shared/texts/common.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import type { Viewer } from '../../state/model.ts';
import { describeProblem } from './describe-reply.ts';
import { listLanguages } from './languages.ts';
import { OwnerFields } from './OwnerFields.tsx';
import { ReplyPreview } from './ReplyPreview.tsx';
import { createReply, updateReply } from './replies-query.ts';
import { findReplyProblems, type OwnedReply, type ReplyContent, type ReplyOwner, type ReplyProblem } from './reply.ts';
import { cannedTexts } from './texts.ts';
import { VariableButtons } from './VariableButtons.tsx';

interface ReplyFormProps {
  readonly role: Viewer['role'];
  /** Those that come first in the choice. */
  readonly languages: readonly string[] | undefined;
  /** To change; a new one without it. */
  readonly reply?: OwnedReply;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

const SHORTCUT_PROBLEMS: readonly ReplyProblem[] = ['shortcutMissing', 'shortcutInvalid'];
const TEXT_PROBLEMS: readonly ReplyProblem[] = ['textMissing', 'textTooLong', 'variableUnknown'];

export function ReplyForm({ role, languages = [], reply, onDone, onCancel }: ReplyFormProps) {
  const t = useTexts(cannedTexts);
  const common = useTexts(commonTexts);
  const { locale } = useLanguage();
  const [content, setContent] = useState<ReplyContent>(reply ?? { shortcut: '', text: '', language: null });
  const [owner, setOwner] = useState<ReplyOwner>({ scope: reply?.scope ?? 'OWN', groupId: reply?.group?.id ?? null });
  const [left, setLeft] = useState({ shortcut: false, text: false });
  const shortcutInput = useRef<HTMLInputElement>(null);
  const textInput = useRef<HTMLTextAreaElement>(null);
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(
    async () => (reply ? updateReply(reply.id, owner, content) : createReply(owner, content)),
    onDone,
  );
  const { options, usualCount } = listLanguages(locale, reply?.language ? [...languages, reply.language] : languages);
  useEffect(() => shortcutInput.current?.focus(), []);
  const problems = findReplyProblems(content);
  const find = (kinds: readonly ReplyProblem[]) => problems.find((problem) => kinds.includes(problem));
  const [shortcutProblem, textProblem] = [find(SHORTCUT_PROBLEMS), find(TEXT_PROBLEMS)];
  const isTaken = failure?.kind === 'refused' && failure.code.startsWith('shortcut.');
  const change = (changed: Partial<ReplyContent>) => {
    setContent({ ...content, ...changed });
    forgetFailure();
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setLeft({ shortcut: true, text: true });
    if (shortcutProblem) return shortcutInput.current?.focus();
    if (textProblem) return textInput.current?.focus();
    const problem = await start(undefined);
    if (problem?.kind === 'refused' && problem.code.startsWith('shortcut.')) shortcutInput.current?.select();
  };
  const describe = (problem: ReplyProblem | undefined, hasLeft: boolean) =>
    problem && hasLeft ? describeProblem(problem, t) : undefined;
  return (
    <form className="canned-form" noValidate onSubmit={submit} aria-label={reply ? t('editTitle') : t('create')}>
      {!isTaken && <FailureBanner failure={failure} wait={wait} />}
      <div className="canned-form-line">
        <TextField
          label={t('shortcut')}
          hint={t('shortcutHint')}
          error={isTaken ? t('shortcutTaken') : describe(shortcutProblem, left.shortcut)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={80}
          value={content.shortcut}
          onChange={(shortcut) => change({ shortcut: shortcut.replace(/^\//, '') })}
          onBlur={() => setLeft((now) => ({ ...now, shortcut: content.shortcut !== '' || now.shortcut }))}
          inputRef={shortcutInput}
        />
        <SelectField
          label={t('language')}
          value={content.language ?? ''}
          options={{ '': t('everyLanguage'), ...options }}
          firstCount={usualCount + 1}
          onChange={(language) => change({ language: language || null })}
        />
        <OwnerFields role={role} owner={owner} onChange={setOwner} />
      </div>
      <TextArea
        label={t('text')}
        error={describe(textProblem, left.text)}
        lang={content.language ?? undefined}
        value={content.text}
        onChange={(text) => change({ text })}
        onBlur={() => setLeft((now) => ({ ...now, text: content.text !== '' || now.text }))}
        inputRef={textInput}
      />
      <VariableButtons field={textInput} />
      <ReplyPreview text={content.text} language={content.language} />
      <div className="canned-actions">
        <SubmitButton label={t('save')} isPending={isPending} wait={wait} />
        <Button onPress={onCancel}>{common('cancel')}</Button>
      </div>
    </form>
  );
}
