import { type ComponentType, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LanguageProvider } from '../texts/LanguageContext.tsx';
import { reloadOrShowFailure } from './script-failure.ts';

/** Shows the page in the element that `page.html` has for it. */
export function startPage(Page: ComponentType): void {
  const element = document.getElementById('page');
  if (element === null) throw new Error('The page has no element for its content.');
  // A part that is loaded on demand did not arrive. React has removed what stood there.
  const onUncaughtError = (error: unknown) => {
    console.error(error);
    reloadOrShowFailure();
  };
  createRoot(element, { onUncaughtError }).render(
    <StrictMode>
      <LanguageProvider>
        <Page />
      </LanguageProvider>
    </StrictMode>,
  );
}
