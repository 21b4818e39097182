import { useEffect, useState } from 'react';
import type { Session } from '../shared/api/session.ts';
import { getSessionOwner } from '../shared/api/session-owner.ts';
import { Banner } from '../shared/components/Banner.tsx';
import { Button } from '../shared/components/Button.tsx';
import { ALERT } from '../shared/components/icons.ts';
import { goToLogIn } from '../shared/page/SessionPage.tsx';
import { commonTexts } from '../shared/texts/common.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { type OpenDesk, openDesk } from './connection/open-desk.ts';
import { readDesk } from './connection/read-desk.ts';
import { uploadFile } from './connection/upload.ts';
import { watchNetwork } from './connection/watch-network.ts';
import { DeskPage } from './DeskPage.tsx';

const RETRY_MS = 5000;

/** Reads what the desk shows, and then keeps it connected while it is there. */
export function DeskStart({ session }: { readonly session: Session }) {
  const t = useTexts(commonTexts);
  const [attempt, setAttempt] = useState(0);
  const [desk, setDesk] = useState<OpenDesk>();
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    const ending = new AbortController();
    startDesk(ending.signal, setDesk, () => setHasFailed(true));
    return () => ending.abort();
  }, [attempt]);
  useEffect(() => {
    if (!hasFailed || desk) return;
    const timer = setInterval(() => setAttempt((last) => last + 1), RETRY_MS);
    return () => clearInterval(timer);
  }, [hasFailed, desk]);
  if (desk) return <DeskPage session={session} desk={desk} />;
  // The page itself has what is in sight until then.
  if (!hasFailed) return null;
  return (
    <main className="page-failure">
      <Banner icon={ALERT} kind="danger" role="alert" title={t('unreachableTitle')}>
        {t('unreachable')}
      </Banner>
      <Button onPress={() => setAttempt(attempt + 1)}>{t('tryAgain')}</Button>
    </main>
  );
}

async function startDesk(signal: AbortSignal, onOpened: (desk: OpenDesk) => void, onFailed: () => void): Promise<void> {
  const answer = await readDesk(Date.now());
  if (signal.aborted) return;
  if (!answer.ok) {
    if (answer.failure.kind === 'loggedOut') goToLogIn('ended');
    else onFailed();
    return;
  }
  const socketUrl = `${location.origin.replace(/^http/, 'ws')}/graphql`;
  const desk = openDesk(answer.value, {
    ...{ owner: getSessionOwner(), socketUrl, upload: uploadFile },
    onLoggedOut: () => goToLogIn('ended'),
  });
  const stopWatching = watchNetwork(desk);
  signal.addEventListener('abort', () => {
    stopWatching();
    desk.stop();
  });
  onOpened(desk);
}
