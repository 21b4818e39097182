import iso6391 from 'iso-639-1';
import { z } from 'zod';

const CODE_RULE = 'must be two-letter language codes of ISO 639-1, in lower case';

/** A two-letter code of a real language. */
export const languageCode = z
  .string({ error: CODE_RULE })
  .refine((code): boolean => iso6391.validate(code), { error: CODE_RULE });

const ADMIN_LANGUAGES = ['de', 'en', 'es', 'fr'] as const;
/** A language that the service has texts in. */
export type AdminLanguage = (typeof ADMIN_LANGUAGES)[number];
export const languageAdmin = z.enum(ADMIN_LANGUAGES, { error: `must be one of ${ADMIN_LANGUAGES.join(', ')}` });
