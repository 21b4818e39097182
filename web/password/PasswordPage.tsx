import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { Failure } from '../shared/api/request.ts';
import { type PasswordLink, readPasswordLink } from '../shared/api/session.ts';
import { Button } from '../shared/components/Button.tsx';
import { FailureBanner } from '../shared/frame/FailureBanner.tsx';
import { RingFrame } from '../shared/frame/RingFrame.tsx';
import { useWait } from '../shared/frame/useWait.ts';
import { commonTexts } from '../shared/texts/common.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { passwordTexts } from './texts.ts';
import { forgetToken, hadToken, takeToken } from './token.ts';

const token = takeToken(location, history);
const isMissing = token === null && !hadToken(history);
// Someone opens the link in a tab that shows this page already.
addEventListener('hashchange', () => location.reload());

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'form'; readonly link: PasswordLink }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'done' };

/** What an invitation or a reset link opens. It does not log in: two-factor must still be passed. */
export function PasswordPage() {
  const t = useTexts(passwordTexts);
  const [state, setState] = useState<State>({ kind: 'loading' });
  const refuse = useCallback(() => {
    forgetToken(history);
    setState({ kind: 'invalid' });
  }, []);
  const load = useCallback(async () => {
    if (token === null) return setState({ kind: 'invalid' });
    const answer = await readPasswordLink(token);
    if (answer.ok) return setState({ kind: 'form', link: answer.value });
    if (answer.failure.kind === 'refused') return refuse();
    setState({ kind: 'failed', failure: answer.failure });
  }, [refuse]);
  useEffect(() => {
    load();
  }, [load]);

  switch (state.kind) {
    case 'loading':
      return null;
    case 'failed':
      return <Failed failure={state.failure} onRetry={load} />;
    case 'invalid':
      return <Result title={t('invalidTitle')}>{isMissing ? t('missing') : t('invalid')}</Result>;
    case 'done':
      return <Result title={t('doneTitle')}>{t('done')}</Result>;
    case 'form':
      return (
        <PasswordForm
          token={token ?? ''}
          link={state.link}
          onRefused={refuse}
          onDone={() => {
            forgetToken(history);
            setState({ kind: 'done' });
          }}
        />
      );
  }
}

function Failed({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  const t = useTexts(passwordTexts);
  const common = useTexts(commonTexts);
  const wait = useWait(failure);
  return (
    <RingFrame title={t('title')} ringTime={wait.ringTime} isRingEnding>
      <FailureBanner failure={failure} wait={wait} />
      <Button kind="primary" onPress={onRetry} isDisabled={wait.secondsLeft > 0}>
        {common('tryAgain')}
      </Button>
    </RingFrame>
  );
}

function Result({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const t = useTexts(passwordTexts);
  return (
    <RingFrame title={title} introduction={children} isTitleFocused>
      <a className="button" data-kind="primary" href="/login">
        {t('logIn')}
      </a>
    </RingFrame>
  );
}
