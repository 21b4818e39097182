import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { succeed } from '../../../shared/api/request.ts';
import { Button } from '../../../shared/components/Button.tsx';
import { TextField } from '../../../shared/components/TextField.tsx';
import { FailureBanner } from '../../../shared/frame/FailureBanner.tsx';
import { SubmitButton } from '../../../shared/frame/SubmitButton.tsx';
import { useAttempt } from '../../../shared/frame/useAttempt.ts';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDraft } from '../../conversation/composer/useDraft.ts';
import { visitorPanelTexts } from '../texts.ts';
import type { PanelVisitor, VisitorDetails } from '../visitor-query.ts';
import { applyDraft, formatDraft } from './details-draft.ts';
import { DETAIL_NAMES, DETAILS, type DetailName, findChanges, isEmailAddress, saveDetails } from './visitor-details.ts';

interface DetailsFormProps {
  readonly visitor: PanelVisitor;
  readonly draftKey: string;
  /** Not if the form comes back with its conversation. */
  readonly hasFocus: boolean;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

const LABELS = {
  firstname: 'firstname',
  lastname: 'lastname',
  email: 'email',
  phone: 'phone',
  address: 'street',
  zip: 'zip',
  city: 'city',
  country: 'country',
} as const satisfies Record<DetailName, string>;

/** In place of the details. What the website has signed is only shown. */
export function DetailsForm({ visitor, draftKey, hasFocus, onDone, onCancel }: DetailsFormProps) {
  const t = useTexts(visitorPanelTexts);
  // What is edited stays, also when the visitor changes something meanwhile.
  const [before] = useState<VisitorDetails>(visitor);
  const [draft, setDraft] = useDraft(draftKey);
  const signed = visitor.context?.verifiedDetails ?? [];
  const details = applyDraft(before, draft, signed);
  const [hasLeftEmail, setLeftEmail] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(
    async (changes: Partial<VisitorDetails>) => {
      return Object.keys(changes).length === 0 ? succeed(undefined) : saveDetails(visitor.id, changes);
    },
    () => {
      setDraft('');
      onDone();
    },
  );
  useEffect(() => {
    if (hasFocus) form.current?.querySelector<HTMLInputElement>('input:not([readonly])')?.focus();
  }, []);
  const isEmailWrong = !isEmailAddress(details.email);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setLeftEmail(true);
    if (isEmailWrong) return form.current?.querySelector<HTMLInputElement>('input[type="email"]')?.focus();
    start(findChanges(before, details));
  };
  const change = (name: DetailName, text: string) => {
    setDraft(formatDraft(before, { ...details, [name]: text }));
    forgetFailure();
  };
  const cancel = () => {
    setDraft('');
    onCancel();
  };
  return (
    <form className="panel-section details-form" ref={form} noValidate onSubmit={submit} aria-label={t('edit')}>
      <FailureBanner failure={failure} wait={wait} />
      {DETAIL_NAMES.map((name) => {
        const isSigned = signed.includes(name);
        return (
          <TextField
            key={name}
            label={t(LABELS[name])}
            // Of the visitor, not of who sits here.
            autoComplete="off"
            type={name === 'email' ? 'email' : name === 'phone' ? 'tel' : 'text'}
            maxLength={DETAILS[name]}
            value={details[name]}
            isReadOnly={isSigned}
            hint={isSigned ? t('signedDetail') : undefined}
            error={name === 'email' && hasLeftEmail && isEmailWrong ? t('emailInvalid') : undefined}
            onChange={(text) => change(name, text)}
            {...(name === 'email' && { onBlur: () => setLeftEmail(true) })}
          />
        );
      })}
      <div className="details-actions">
        <SubmitButton label={t('save')} isPending={isPending} wait={wait} />
        <Button onPress={cancel}>{t('cancel')}</Button>
      </div>
    </form>
  );
}
