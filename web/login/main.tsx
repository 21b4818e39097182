import { startPage } from '../shared/page/start-page.tsx';
import { LoginPage } from './LoginPage.tsx';

startPage(LoginPage);
