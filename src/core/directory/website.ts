import { z } from 'zod';
import { id } from '../kernel/ids.ts';
import { languageAdmin } from '../kernel/languages.ts';
import { isStorable, text } from '../kernel/text.ts';

const URL_RULE = 'must be an http or https address of at most 2000 characters';
const CURRENCY_RULE = 'must be a currency code of ISO 4217, for example EUR';
const ZONE_RULE = 'must be a time zone of the IANA database, for example Europe/Paris';

const ORIGINS_RULE = 'must be up to 50 origins like https://www.example.com, without a path';

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

/** Where visitors come from, for those who set a website up. It is no part of the REST resource. */
export const originsSchema = z
  .array(z.string({ error: ORIGINS_RULE }), { error: ORIGINS_RULE })
  .max(50, { error: ORIGINS_RULE })
  .refine((origins) => origins.every(isOrigin), { error: ORIGINS_RULE })
  .transform((origins) => [...new Set(origins)])
  .meta({
    description:
      "The origins from whose pages visitors may come, for example `https://www.example.com`. Empty: the origin of the website's own address.",
  });

export type Website = z.output<typeof websiteSchema> & {
  readonly allowedOrigins: readonly string[];
  /** A new version is a new secret. */
  readonly secretVersion: number;
};

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
export type WebsiteCreate = z.output<typeof websiteCreate> & {
  readonly allowedOrigins?: readonly string[] | undefined;
};
export type WebsiteUpdate = z.output<typeof websiteUpdate> & {
  readonly allowedOrigins?: readonly string[] | undefined;
};

/** The origins from whose pages visitors of a website may come. */
export function originsOf({ url, allowedOrigins }: Pick<Website, 'url' | 'allowedOrigins'>): readonly string[] {
  return allowedOrigins.length > 0 ? allowedOrigins : [new URL(url).origin];
}

export function websiteWithDefaults(
  input: z.output<typeof websiteCreate>,
): Omit<z.output<typeof websiteSchema>, 'id' | 'clientId'> {
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

/** As a browser names it: nothing but scheme, host and port. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.origin === text &&
    !text.includes('*')
  );
}

function isTimeZone(name: string): boolean {
  try {
    // Offsets like +02:00 are accepted by Intl, but they are no zones: they know no summer time.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
