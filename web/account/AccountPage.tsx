import { AccountSettings } from '../shared/account/AccountSettings.tsx';
import { accountTexts } from '../shared/account/texts.ts';
import { logOut, type Session } from '../shared/api/session.ts';
import { Icon } from '../shared/components/Icon.tsx';
import { ARROW_LEFT } from '../shared/components/icons.ts';
import { FailureBanner } from '../shared/frame/FailureBanner.tsx';
import { PageBar } from '../shared/frame/PageBar.tsx';
import { useAttempt } from '../shared/frame/useAttempt.ts';
import { findHome, findReturnPath } from '../shared/page/addresses.ts';
import { useTexts } from '../shared/texts/LanguageContext.tsx';

/** The page around the settings, for those who do not open them in the desk or the console. */
export function AccountPage({ session }: { readonly session: Session }) {
  const t = useTexts(accountTexts);
  const { start, failure, wait } = useAttempt(logOut, () => location.replace('/login'));
  const from = findReturnPath(new URLSearchParams(location.search).get('from'));
  return (
    <>
      <PageBar title={t('title')} session={session} onLogOut={() => start(undefined)} />
      <main className="account-page">
        <a className="account-back" href={from ?? findHome(session)}>
          <Icon path={ARROW_LEFT} />
          {t('back')}
        </a>
        <h1>{t('title')}</h1>
        <p className="muted">
          {session.operator.name} · {session.operator.email}
        </p>
        <FailureBanner failure={failure} wait={wait} />
        <AccountSettings session={session} />
      </main>
    </>
  );
}
