import { useEffect, useState } from 'react';
import { logIn, readSession, readSessionOptions, type Session, type SessionOptions } from '../shared/api/session.ts';
import { findHome, findReturnPath } from '../shared/page/addresses.ts';
import { PasswordStep } from './PasswordStep.tsx';

const query = new URLSearchParams(location.search);

/** Leads to the page that was asked for. The log-in page does not stay in the history. */
function goOn(session: Session): void {
  location.replace(findReturnPath(query.get('to')) ?? findHome(session));
}

export function LoginPage() {
  const [options, setOptions] = useState<SessionOptions>();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    readSessionOptions(query.get('account')).then((answer) => answer.ok && setOptions(answer.value));
    readSession().then((answer) => {
      if (answer.ok && answer.value.authenticated) goOn(answer.value);
      else setReady(true);
    });
  }, []);
  if (!isReady) return null;
  return (
    <PasswordStep options={options} hasSessionEnded={query.get('reason') === 'ended'} logIn={logIn} onLogIn={goOn} />
  );
}
