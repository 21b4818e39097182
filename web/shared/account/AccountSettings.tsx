import type { Session } from '../api/session.ts';
import { Button } from '../components/Button.tsx';
import { FailureBanner } from '../frame/FailureBanner.tsx';
import { useWait } from '../frame/useWait.ts';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { AppearanceSection } from './AppearanceSection.tsx';
import { PasswordSection } from './PasswordSection.tsx';
import { SessionsSection } from './SessionsSection.tsx';
import { TwoFactorSection } from './TwoFactorSection.tsx';
import { useAccount } from './useAccount.ts';

interface AccountSettingsProps {
  readonly session: Session;
}

/** What operators change in their account. It fits into the place that it gets: a page, or a part of desk and console. */
export function AccountSettings({ session }: AccountSettingsProps) {
  const common = useTexts(commonTexts);
  const { account, failure, reload } = useAccount();
  const wait = useWait(failure);
  const notice = failure && (
    <div className="account-notice">
      <FailureBanner failure={failure} wait={wait} />
      {failure.kind !== 'loggedOut' && <Button onPress={reload}>{common('tryAgain')}</Button>}
    </div>
  );
  if (account === undefined) return <div className="account">{notice ?? <Skeleton />}</div>;
  return (
    <div className="account">
      {notice}
      <PasswordSection session={session} hasTwoFactor={account.twoFactor.isEnabled} onChange={reload} />
      <TwoFactorSection email={session.operator.email} state={account.twoFactor} onChange={reload} />
      <SessionsSection account={account} onChange={reload} />
      <AppearanceSection operatorId={session.operator.id} account={account} />
    </div>
  );
}

function Skeleton() {
  return (
    <div className="account-skeleton" aria-busy="true">
      {['40%', '90%', '60%', '45%', '95%', '75%'].map((width) => (
        <span className="skeleton" key={width} style={{ '--skeleton': width } as object} />
      ))}
    </div>
  );
}
