import type { Language } from '../texts/language.ts';

/** Apart from the dictionaries: it is also said where none of them has arrived. */
export const missingFileTexts: Readonly<Record<Language, string>> = {
  en: 'A part of the page could not be loaded.',
  de: 'Ein Teil der Seite konnte nicht geladen werden.',
  es: 'No se pudo cargar una parte de la página.',
  fr: 'Une partie de la page n’a pas pu être chargée.',
};
