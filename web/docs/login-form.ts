import { logIn, type Session, storedSession } from './session.ts';

const element = (id: string) => document.getElementById(id) as HTMLElement;
const input = (id: string) => element(id) as HTMLInputElement;

/** The form of a page that needs a login; the page passes what to do with the session. */
export class LoginForm {
  readonly #form = element('login') as HTMLFormElement;

  constructor(onLogin: (session: Session) => void) {
    this.#form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const session = await this.#submit();
      if (session) onLogin(session);
    });
  }

  show(problem = ''): void {
    element('session').hidden = true;
    this.#form.hidden = false;
    element('problem').textContent = problem;
    element(input('email').value === '' ? 'email' : 'password').focus();
  }

  hide({ email }: Session): void {
    this.#form.hidden = true;
    input('password').value = '';
    element('user').textContent = email;
    element('session').hidden = false;
  }

  async #submit(): Promise<Session | undefined> {
    const button = this.#form.querySelector('button') as HTMLButtonElement;
    button.disabled = true;
    element('problem').textContent = '';
    const email = input('email').value.trim();
    const attempt = await logIn(email, input('password').value);
    button.disabled = false;
    if ('problem' in attempt) {
      element('problem').textContent = attempt.problem;
      input('password').select();
      return undefined;
    }
    const session = { email, token: attempt.result };
    storedSession.write(session);
    return session;
  }
}
