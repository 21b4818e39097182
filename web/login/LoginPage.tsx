import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import type { Answer, Failure } from '../shared/api/request.ts';
import {
  type Credentials,
  logIn,
  readSession,
  readSessionOptions,
  type Session,
  type SessionOptions,
} from '../shared/api/session.ts';
import { Banner } from '../shared/components/Banner.tsx';
import { TIMER } from '../shared/components/icons.ts';
import { findHome, findReturnPath, LOG_IN_REASONS, type LogInReason } from '../shared/page/addresses.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { chooseTheme } from '../shared/theme/page-theme.ts';
import { CodeStep } from './CodeStep.tsx';
import { takeSignOnLink } from './fragment.ts';
import { PasswordStep } from './PasswordStep.tsx';
import { loginTexts } from './texts.ts';

/** Only those who follow a single sign-on link load what is said about it. */
const ReplaceStep = lazy(async () => ({ default: (await import('./link/ReplaceStep.tsx')).ReplaceStep }));
const LinkFailed = lazy(async () => ({ default: (await import('./link/LinkFailed.tsx')).LinkFailed }));
const LinkNotice = lazy(async () => ({ default: (await import('./link/LinkNotice.tsx')).LinkNotice }));
/** Rare: two people use one browser. */
const OtherStep = lazy(async () => ({ default: (await import('./OtherStep.tsx')).OtherStep }));
/** With the QR code: only those who must set up two-factor load it. */
const SetUpStep = lazy(async () => ({ default: (await import('./SetUpStep.tsx')).SetUpStep }));

const query = new URLSearchParams(location.search);
const link = takeSignOnLink(location, history);
// Someone opens a link in a tab that shows this page already.
addEventListener('hashchange', () => location.reload());
const returnPath = findReturnPath(link?.to ?? query.get('to'));

type Step =
  | { readonly kind: 'loading' }
  | { readonly kind: 'password' }
  | { readonly kind: 'code' }
  | { readonly kind: 'setUp'; readonly session: Session }
  | { readonly kind: 'replace'; readonly session: Session }
  /** The page from which one comes was that of someone else. */
  | { readonly kind: 'other'; readonly session: Session }
  /** The link may still be good: its code is kept for the next attempt. */
  | { readonly kind: 'linkFailed'; readonly failure: Failure; readonly onRetry: () => void };

type Reason = LogInReason | 'linkUsed';

export function LoginPage() {
  const [options, setOptions] = useState<SessionOptions>();
  const [step, setStep] = useState<Step>({ kind: 'loading' });
  const [reason, setReason] = useState<Reason | undefined>(LOG_IN_REASONS.find((each) => each === query.get('reason')));
  const [credentials, setCredentials] = useState<Credentials>({ email: '', password: '' });

  const goOn = useCallback((session: Session) => {
    if (session.mustSetUpTwoFactor) return setStep({ kind: 'setUp', session });
    if (session.theme) chooseTheme(session.theme);
    // The log-in page does not stay in the history.
    location.replace(returnPath ?? findHome(session));
  }, []);
  const useLink = useCallback(
    async (ssoCode: string) => {
      const answer: Answer<Session> = await logIn({ ssoCode });
      if (answer.ok) return goOn(answer.value);
      const { failure } = answer;
      if (failure.kind !== 'refused') {
        return setStep({ kind: 'linkFailed', failure, onRetry: () => useLink(ssoCode) });
      }
      setReason('linkUsed');
      setStep({ kind: 'password' });
    },
    [goOn],
  );
  const begin = useCallback(async () => {
    const answer = await readSession();
    // A link replaces no one's session without asking, so it waits until it is known who is logged in.
    if (!answer.ok && link !== undefined) {
      return setStep({ kind: 'linkFailed', failure: answer.failure, onRetry: begin });
    }
    const session = answer.ok && answer.value.authenticated ? answer.value : undefined;
    if (link !== undefined && session === undefined) useLink(link.code);
    else if (link !== undefined && session !== undefined) setStep({ kind: 'replace', session });
    else if (session !== undefined && reason === 'other') setStep({ kind: 'other', session });
    else if (session !== undefined) goOn(session);
    else setStep({ kind: 'password' });
  }, [goOn, useLink, reason]);
  useEffect(() => {
    readSessionOptions(query.get('account')).then((answer) => answer.ok && setOptions(answer.value));
    begin();
  }, [begin]);

  switch (step.kind) {
    case 'loading':
      return null;
    case 'linkFailed':
      return (
        <Suspense>
          <LinkFailed failure={step.failure} onRetry={step.onRetry} />
        </Suspense>
      );
    case 'setUp':
      return (
        <Suspense>
          <SetUpStep
            onDone={() => goOn({ ...step.session, mustSetUpTwoFactor: false })}
            onEnded={() => location.replace('/account')}
            onLoggedOut={() => setStep({ kind: 'password' })}
          />
        </Suspense>
      );
    case 'replace':
      return (
        <Suspense>
          <ReplaceStep
            name={step.session.operator.name}
            onAccept={() => link && useLink(link.code)}
            onDecline={() => goOn(step.session)}
          />
        </Suspense>
      );
    case 'other':
      return (
        <Suspense>
          <OtherStep
            session={step.session}
            onGoOn={() => goOn(step.session)}
            onLogIn={() => setStep({ kind: 'password' })}
          />
        </Suspense>
      );
    case 'code':
      return (
        <CodeStep
          logIn={(code) => logIn({ ...credentials, email: credentials.email.trim(), code })}
          onLogIn={goOn}
          onBack={() => setStep({ kind: 'password' })}
          onPasswordRefused={() => setStep({ kind: 'password' })}
        />
      );
    case 'password':
      return (
        <PasswordStep
          options={options}
          notice={<Notice reason={reason} />}
          credentials={credentials}
          onChange={setCredentials}
          logIn={logIn}
          onLogIn={goOn}
          onCodeRequired={() => setStep({ kind: 'code' })}
        />
      );
  }
}

function Notice({ reason }: { readonly reason: Reason | undefined }) {
  const t = useTexts(loginTexts);
  if (reason === undefined || reason === 'other') return null; // a step says who is logged in
  if (reason !== 'ended' && reason !== 'password') {
    return (
      <Suspense>
        <LinkNotice reason={reason} />
      </Suspense>
    );
  }
  const { title, text } = {
    ended: { title: t('sessionEndedTitle'), text: t('sessionEnded') },
    password: { title: t('passwordChangedTitle'), text: t('passwordChanged') },
  }[reason];
  return (
    <Banner icon={TIMER} title={title}>
      {text}
    </Banner>
  );
}
