import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { Failure } from '../api/request.ts';
import { readSession, type Session } from '../api/session.ts';
import { describeOwner, getSessionOwner, setSessionOwner } from '../api/session-owner.ts';
import { Banner } from '../components/Banner.tsx';
import { Button } from '../components/Button.tsx';
import { ALERT } from '../components/icons.ts';
import { commonTexts } from '../texts/common.ts';
import { useLanguage, useTexts } from '../texts/LanguageContext.tsx';
import { chooseTheme } from '../theme/page-theme.ts';
import { createLogInAddress, type LogInReason } from './addresses.ts';

interface SessionPageProps {
  readonly children: (session: Session) => ReactNode;
}

/** A page for an operator who is logged in, in their language and theme. Anyone else is led to the log-in page. */
export function SessionPage({ children }: SessionPageProps) {
  const t = useTexts(commonTexts);
  const { setProfileLanguage } = useLanguage();
  const [session, setSession] = useState<Session>();
  const [failure, setFailure] = useState<Failure>();
  const load = useCallback(async () => {
    const answer = await readSession();
    if (!answer.ok) return setFailure(answer.failure);
    setFailure(undefined);
    // A session that may only set up two-factor does so on the log-in page.
    if (!answer.value.authenticated || answer.value.mustSetUpTwoFactor) return goToLogIn();
    if (answer.value.theme) chooseTheme(answer.value.theme);
    setProfileLanguage(answer.value.operator.languageAdmin);
    setSessionOwner(answer.value);
    setSession(answer.value);
  }, [setProfileLanguage]);
  useEffect(() => {
    load();
  }, [load]);
  if (session) return children(session);
  if (failure === undefined) return null;
  return (
    <main className="page-failure">
      <Banner icon={ALERT} kind="danger" role="alert" title={t('unreachableTitle')}>
        {t('unreachable')}
      </Banner>
      <Button onPress={load}>{t('tryAgain')}</Button>
    </main>
  );
}

/** `ended`: the page had a session until now, and the log-in page says so, or that someone else has logged in. */
export async function goToLogIn(reason?: LogInReason): Promise<void> {
  const isOther = reason === 'ended' && (await isOtherLoggedIn());
  location.replace(createLogInAddress(location, isOther ? 'other' : reason));
}

async function isOtherLoggedIn(): Promise<boolean> {
  const answer = await readSession();
  return answer.ok && answer.value.authenticated && describeOwner(answer.value) !== getSessionOwner();
}
