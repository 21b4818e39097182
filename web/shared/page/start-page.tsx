import { type ComponentType, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LanguageProvider } from '../texts/LanguageContext.tsx';

/** Shows the page in the element that `page.html` has for it. */
export function startPage(Page: ComponentType): void {
  const element = document.getElementById('page');
  if (element === null) throw new Error('The page has no element for its content.');
  createRoot(element).render(
    <StrictMode>
      <LanguageProvider>
        <Page />
      </LanguageProvider>
    </StrictMode>,
  );
}
