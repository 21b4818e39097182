import { type FormEvent, useEffect, useState } from 'react';
import { runMutation } from '../../shared/api/mutation.ts';
import { graphql, runQuery } from '../../shared/api/query.ts';
import { Button } from '../../shared/components/Button.tsx';
import { Dialog } from '../../shared/components/Dialog.tsx';
import { TextField } from '../../shared/components/TextField.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { useAttempt } from '../../shared/frame/useAttempt.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { frameTexts } from './texts.ts';

const PICKUP = graphql(`
  query PhonePickup {
    viewer {
      id
      callConfig {
        type
        phoneNumber
        askPhoneNumberAtEveryConnection
      }
    }
  }
`);

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

interface Question {
  readonly operatorId: string;
  readonly phoneNumber: string;
}

/** Asks once, when the desk is opened, on which phone the operator answers calls; for those who wish to be asked. */
export function PhonePickup() {
  const [question, setQuestion] = useState<Question>();
  useEffect(() => {
    let isCurrent = true;
    runQuery(PICKUP).then((answer) => {
      const viewer = answer.ok ? answer.value.viewer : undefined;
      const config = viewer?.callConfig;
      if (!isCurrent || !viewer || config?.type !== 'ANSWER_FROM_PHONE' || !config.askPhoneNumberAtEveryConnection)
        return;
      setQuestion({ operatorId: viewer.id, phoneNumber: config.phoneNumber ?? '' });
    });
    return () => {
      isCurrent = false;
    };
  }, []);
  return question && <PhoneDialog {...question} onEnd={() => setQuestion(undefined)} />;
}

function PhoneDialog({ operatorId, phoneNumber, onEnd }: Question & { readonly onEnd: () => void }) {
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
