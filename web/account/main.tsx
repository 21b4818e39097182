import { SessionPage } from '../shared/page/SessionPage.tsx';
import { startPage } from '../shared/page/start-page.tsx';
import { AccountPage } from './AccountPage.tsx';

startPage(() => <SessionPage>{(session) => <AccountPage session={session} />}</SessionPage>);
