import { startPage } from '../shared/page/start-page.tsx';
import { PasswordPage } from './PasswordPage.tsx';

startPage(PasswordPage);
