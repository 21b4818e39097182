import { logOut, type Session } from '../shared/api/session.ts';
import { FailureBanner } from '../shared/frame/FailureBanner.tsx';
import { PageBar } from '../shared/frame/PageBar.tsx';
import { useAttempt } from '../shared/frame/useAttempt.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { deskTexts } from './texts.ts';

/** A start until the desk is here: who is logged in, and where to go. */
export function Home({ session }: { readonly session: Session }) {
  const t = useTexts(deskTexts);
  const { start, failure, wait } = useAttempt(logOut, () => location.replace('/login'));
  return (
    <>
      <PageBar title={t('title')} session={session} onLogOut={() => start(undefined)} />
      <main className="home">
        <FailureBanner failure={failure} wait={wait} />
        <h1>{t('welcome', { name: session.operator.firstName || session.operator.name })}</h1>
        <p className="muted">{t('introduction')}</p>
        <ul className="home-links">
          <li>
            <a href="/account">
              <strong>{t('account')}</strong>
              <span>{t('accountHint')}</span>
            </a>
          </li>
          <li>
            <a href="/developers">
              <strong>{t('developers')}</strong>
              <span>{t('developersHint')}</span>
            </a>
          </li>
        </ul>
      </main>
    </>
  );
}
