import type { Dictionary } from '../../../shared/texts/texts.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fr } from './texts/fr.ts';

export const cannedTexts: Dictionary<typeof en> = { en, de, es, fr };
