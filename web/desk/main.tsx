import { SessionPage } from '../shared/page/SessionPage.tsx';
import { startPage } from '../shared/page/start-page.tsx';
import { Home } from './Home.tsx';

startPage(() => <SessionPage>{(session) => <Home session={session} />}</SessionPage>);
