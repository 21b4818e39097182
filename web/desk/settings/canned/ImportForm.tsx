import { type SubmitEvent, useId, useRef, useState } from 'react';
import { Banner } from '../../../shared/components/Banner.tsx';
import { Button } from '../../../shared/components/Button.tsx';
import { ALERT } from '../../../shared/components/icons.ts';
import { FailureBanner } from '../../../shared/frame/FailureBanner.tsx';
import { SubmitButton } from '../../../shared/frame/SubmitButton.tsx';
import { useAttempt } from '../../../shared/frame/useAttempt.ts';
import { commonTexts } from '../../../shared/texts/common.ts';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { CLIP } from '../../conversation/icons.ts';
import { hasFiles } from '../../frame/file-drops.ts';
import type { Viewer } from '../../state/model.ts';
import { describeFileProblem } from './describe-reply.ts';
import { ImportPreview } from './ImportPreview.tsx';
import { planImport } from './import-file.ts';
import { OwnerFields } from './OwnerFields.tsx';
import { importReplies } from './replies-query.ts';
import { hasOwner, type OwnedReply, type ReplyOwner } from './reply.ts';
import { cannedTexts } from './texts.ts';

interface ImportFormProps {
  readonly role: Viewer['role'];
  readonly replies: readonly OwnedReply[];
  readonly onDone: (created: number, updated: number) => void;
  readonly onCancel: () => void;
}

/** A text of 500 replies is far smaller; more would make the browser slow. */
const MAX_BYTES = 20_000_000;

/** Shows what a file will create and change before it does. Rows with mistakes are left out. */
export function ImportForm({ role, replies, onDone, onCancel }: ImportFormProps) {
  const t = useTexts(cannedTexts);
  const common = useTexts(commonTexts);
  const id = useId();
  const [owner, setOwner] = useState<ReplyOwner>({ scope: 'OWN', groupId: null });
  const [text, setText] = useState<string>();
  const [name, setName] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const existing = replies.filter((reply) => hasOwner(reply, owner));
  const plan = text === undefined ? undefined : planImport(text, existing);
  const rows = plan?.ok ? plan.rows : [];
  const good = rows.filter(({ effect }) => effect === 'create' || effect === 'change');
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(
    () => importReplies(owner, good),
    ({ created, updated }) => onDone(created ?? 0, updated ?? 0),
  );
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    forgetFailure();
    setName(file.name);
    setText(await readFile(file));
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (good.length > 0) start(undefined);
  };
  return (
    <form
      className="canned-form"
      noValidate
      onSubmit={submit}
      aria-label={t('importTitle')}
      onDragOver={(event) => {
        if (hasFiles(event.dataTransfer)) event.preventDefault();
      }}
      onDrop={(event) => {
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        read(event.dataTransfer.files[0]);
      }}
    >
      <p className="muted">{t('importHint')}</p>
      <FailureBanner failure={failure} wait={wait} />
      <div className="canned-form-line">
        <div className="field">
          <label className="field-label" htmlFor={id}>
            {t('file')}
          </label>
          <span className="canned-file">
            <Button icon={CLIP} onPress={() => input.current?.click()}>
              {t('chooseFile')}
            </Button>
            <span className="truncate muted">{name ?? t('dropFile')}</span>
          </span>
          <input
            hidden
            ref={input}
            id={id}
            type="file"
            accept=".csv,.json,text/csv,application/json"
            onChange={(event) => {
              read(event.target.files?.[0]);
              event.target.value = ''; // the same file can be chosen again after a correction
            }}
          />
        </div>
        <OwnerFields role={role} owner={owner} onChange={setOwner} />
      </div>
      {plan?.ok === false && (
        <Banner icon={ALERT} kind="danger" role="alert">
          {describeFileProblem(plan.problem, t)}
        </Banner>
      )}
      {rows.length > 0 && <ImportPreview rows={rows} />}
      <div className="canned-actions">
        {good.length > 0 && (
          <SubmitButton label={t('importNow', { count: good.length })} isPending={isPending} wait={wait} />
        )}
        <Button onPress={onCancel}>{common('cancel')}</Button>
      </div>
    </form>
  );
}

/** Another encoding would garble the texts: such a file reads as nothing, and the form says that it cannot be read. */
async function readFile(file: File): Promise<string> {
  if (file.size > MAX_BYTES) return '"';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return '"';
  }
}
