import { chooseLanguage, readSavedLanguage } from '../texts/language.ts';

const TEXTS = {
  en: ['A part of the page could not be loaded.', 'Try again'],
  de: ['Ein Teil der Seite konnte nicht geladen werden.', 'Erneut versuchen'],
  es: ['No se pudo cargar una parte de la página.', 'Reintentar'],
  fr: ['Une partie de la page n’a pas pu être chargée.', 'Réessayer'],
} as const;

/** A script or a style sheet did not arrive: without this, the page would stay empty and say nothing. */
export function watchForFailedFiles(): void {
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLScriptElement || target instanceof HTMLLinkElement) showFailure();
    },
    // Such an event does not bubble.
    { capture: true },
  );
}

/** The address stays, so that loading the page again leads to the same place. */
export function showFailure(): void {
  const page = document.getElementById('page') ?? document.body;
  if (document.getElementById('failed-files') !== null) return;
  const [text, action] = TEXTS[chooseLanguage({ saved: readSavedLanguage(), browser: navigator.languages })];
  const message = document.createElement('p');
  message.id = 'failed-files';
  message.setAttribute('role', 'alert');
  const retry = document.createElement('button');
  retry.textContent = action;
  retry.addEventListener('click', () => location.reload());
  message.append(text, ' ', retry);
  page.before(message);
}
