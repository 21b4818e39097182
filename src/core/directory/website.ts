import { z } from 'zod';
import { id } from '../ids.ts';
import { languageAdmin } from '../languages.ts';
import { isStorable, text } from '../text.ts';

const URL_RULE = 'must be an http or https address of at most 2000 characters';
const CURRENCY_RULE = 'must be a currency code of ISO 4217, for example EUR';
const ZONE_RULE = 'must be a time zone of the IANA database, for example Europe/Paris';

const currencies = new Set(Intl.supportedValuesOf('currency'));

const writable = {
  url: z
    .string({ error: URL_RULE })
    .max(2000, { error: URL_RULE })
    .refine(isWebAddress, { error: URL_RULE })
    .meta({ description: 'Address of the website.', example: 'https://www.example.com' }),
  label: text(1, 255).meta({ description: 'Name of the website.', example: 'Shop' }),
  currency: z
    .string({ error: CURRENCY_RULE })
    .refine((code) => currencies.has(code), { error: CURRENCY_RULE })
    .meta({ description: 'Currency (ISO 4217).', example: 'EUR' }),
  languageAdmin: languageAdmin.meta({ description: 'Language of the admin interface.' }),
  timezone: z
    .string({ error: ZONE_RULE })
    .refine(isTimeZone, { error: ZONE_RULE })
    .meta({ description: 'Time zone (IANA).', example: 'Europe/Paris' }),
};

export const websiteSchema = z
  .object({
    id: id.meta({ description: 'Website identifier.' }),
    url: writable.url,
    label: writable.label,
    clientId: id.meta({ description: 'The account.' }),
    currency: writable.currency,
    languageAdmin: writable.languageAdmin,
    timezone: writable.timezone,
  })
  .meta({ id: 'Website', description: 'A website on which visitors are helped.' });
export type Website = z.output<typeof websiteSchema>;

const { url, label, ...optional } = writable;
export const websiteCreate = z
  .strictObject({ url, label, ...z.object(optional).partial().shape })
  .meta({ id: 'WebsiteCreate', description: 'A new website.' });
export const websiteUpdate = z
  .strictObject({
    ...websiteSchema.shape,
    _link: z.string().meta({ description: 'Accepted when it repeats the present value.' }),
  })
  .partial()
  .meta({ id: 'WebsiteUpdate', description: 'The fields of a website to change; all others stay as they are.' });
export type WebsiteCreate = z.output<typeof websiteCreate>;
export type WebsiteUpdate = z.output<typeof websiteUpdate>;

export function websiteWithDefaults(input: WebsiteCreate): Omit<Website, 'id' | 'clientId'> {
  return {
    url: input.url,
    label: input.label,
    currency: input.currency ?? 'EUR',
    languageAdmin: input.languageAdmin ?? 'en',
    timezone: input.timezone ?? 'UTC',
  };
}

function isWebAddress(address: string): boolean {
  if (!isStorable(address) || /[\s\p{Cc}]/u.test(address)) return false;
  const url = URL.parse(address);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
}

function isTimeZone(name: string): boolean {
  try {
    // Offsets like +02:00 are accepted by Intl, but they are no zones: they know no summer time.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
