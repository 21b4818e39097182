import { useEffect, useState } from 'react';
import { graphql, runQuery } from '../../shared/api/query.ts';
import { getSessionOwner } from '../../shared/api/session-owner.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { LaterDialog } from '../later/LaterDialog.tsx';
import type { PhoneQuestion } from './PhoneDialog.tsx';
import { noteAsked, wasAskedToday } from './phone-asked.ts';
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

/** Asks once a day, when the desk is opened, on which phone the operator answers calls; for those who wish it. */
export function PhonePickup() {
  const t = useTexts(frameTexts);
  const [question, setQuestion] = useState<PhoneQuestion>();
  useEffect(() => {
    let isCurrent = true;
    runQuery(PICKUP).then((answer) => {
      const viewer = answer.ok ? answer.value.viewer : undefined;
      const config = viewer?.callConfig;
      if (!isCurrent || !viewer || config?.type !== 'ANSWER_FROM_PHONE' || !config.askPhoneNumberAtEveryConnection)
        return;
      if (wasAskedToday(getSessionOwner(), new Date())) return;
      setQuestion({ operatorId: viewer.id, phoneNumber: config.phoneNumber ?? '' });
    });
    return () => {
      isCurrent = false;
    };
  }, []);
  const end = () => {
    if (question) noteAsked(getSessionOwner(), new Date());
    setQuestion(undefined);
  };
  return (
    question && (
      <LaterDialog title={t('phoneTitle')} onCancel={end}>
        {({ PhoneDialog }) => <PhoneDialog {...question} onEnd={end} />}
      </LaterDialog>
    )
  );
}
