import { type FormEvent, useState } from 'react';
import { runMutation } from '../../shared/api/mutation.ts';
import { graphql } from '../../shared/api/query.ts';
import { Button } from '../../shared/components/Button.tsx';
import { Dialog } from '../../shared/components/Dialog.tsx';
import { TextField } from '../../shared/components/TextField.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { useAttempt } from '../../shared/frame/useAttempt.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { frameTexts } from './texts.ts';

const SET_NUMBER = graphql(`
  mutation SetPhoneNumber($input: OperatorUpdateInput!) {
    operatorUpdate(input: $input) {
      userErrors {
        field
        code
        reason
        message
      }
    }
  }
`);

export interface PhoneQuestion {
  readonly operatorId: string;
  readonly phoneNumber: string;
}

/** On which phone the operator answers calls. */
export function PhoneDialog({ operatorId, phoneNumber, onEnd }: PhoneQuestion & { readonly onEnd: () => void }) {
  const t = useTexts(frameTexts);
  const [number, setNumber] = useState(phoneNumber);
  const [isMissing, setMissing] = useState(false);
  const save = (text: string) =>
    runMutation(SET_NUMBER, { input: { id: operatorId, callConfig: { phoneNumber: text } } });
  const { start, isPending, failure, wait, forgetFailure } = useAttempt(save, onEnd);
  const isRefused = failure?.kind === 'refused';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(number.trim() === '');
    if (number.trim() !== '') start(number.trim());
  };
  return (
    <Dialog title={t('phoneTitle')} onCancel={onEnd}>
      <form className="phone-form" onSubmit={submit} noValidate>
        {!isRefused && <FailureBanner failure={failure} wait={wait} />}
        <TextField
          label={t('phoneNumber')}
          hint={t('phoneHint')}
          error={isMissing || isRefused ? t('phoneMissing') : undefined}
          type="tel"
          autoComplete="tel"
          value={number}
          onChange={(text) => {
            setNumber(text);
            setMissing(false);
            forgetFailure();
          }}
        />
        <div className="dialog-actions">
          <Button onPress={onEnd}>{t('phoneSkip')}</Button>
          <Button kind="primary" type="submit" isPending={isPending}>
            {t('phoneSave')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
