import { readStored, writeStored } from '../stored.ts';
import { chooseLanguage, readSavedLanguage } from '../texts/language.ts';
import { missingFileTexts } from './missing-file-texts.ts';

const TRY_AGAIN = { en: 'Try again', de: 'Erneut versuchen', es: 'Reintentar', fr: 'Réessayer' } as const;

/** How often the page is loaded again by itself, and the first wait; each further wait is twice as long. */
const MAX_RELOADS = 3;
const FIRST_WAIT_MS = 1000;
/** After this time, a page that runs has its reloads again. */
const RESET_AFTER_MS = 60_000;
const RELOADS = 'reloads';

let isReloading = false;

/**
 * A script or a style sheet did not arrive, for example because the service was overloaded: the page is loaded again,
 * and finally says so. Without this, it would stay empty.
 */
export function watchForFailedFiles(): void {
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLScriptElement || target instanceof HTMLLinkElement) reloadOrShowFailure();
    },
    // Such an event does not bubble.
    { capture: true },
  );
  setTimeout(() => writeStored(RELOADS, null), RESET_AFTER_MS);
}

/** The address stays, so that loading the page again leads to the same place. */
export function reloadOrShowFailure(): void {
  if (isReloading) return; // several files can be missing
  const reloads = Number(readStored(RELOADS));
  writeStored(RELOADS, String(reloads + 1));
  // Where the browser keeps nothing, it would be loaded for ever.
  if (reloads >= MAX_RELOADS || readStored(RELOADS) === null) {
    showFailure();
    return;
  }
  isReloading = true;
  setTimeout(() => location.reload(), FIRST_WAIT_MS * 2 ** reloads);
}

function showFailure(): void {
  const page = document.getElementById('page') ?? document.body;
  if (document.getElementById('failed-files') !== null) return;
  const language = chooseLanguage({ saved: readSavedLanguage(), browser: navigator.languages });
  const message = document.createElement('p');
  message.id = 'failed-files';
  message.setAttribute('role', 'alert');
  const retry = document.createElement('button');
  retry.textContent = TRY_AGAIN[language];
  retry.addEventListener('click', () => location.reload());
  message.append(missingFileTexts[language], ' ', retry);
  page.before(message);
}
