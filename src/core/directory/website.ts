import { z } from 'zod';
import { id } from '../kernel/ids.ts';
import { languageAdmin } from '../kernel/languages.ts';
import { isStorable, requiredText } from '../kernel/text.ts';
import type { OpeningHours } from './opening-hours.ts';
import type { WidgetOverrides, WidgetUpdate } from './widget.ts';

const URL_RULE = 'must be an http or https address of at most 2000 characters';
/**
 * A host with a dot or `localhost`, a port and a path, without a scheme. The parts of the host contain no dot, so that
 * each text matches in one way only: otherwise a long one would keep the event loop for minutes.
 */
const ADDRESS_WITHOUT_SCHEME =
  /^(?:\/\/)?((?:localhost|[^\s/?#:@\\.]+(?:\.[^\s/?#:@\\.]+)+\.?)(?::\d+)?(?:[/?#].*)?)$/i;
const CURRENCY_RULE = 'must be an ISO 4217 currency code, for example EUR';
const ZONE_RULE = 'must be an IANA time zone, for example Europe/Paris';

const ORIGINS_RULE = 'must be up to 50 origins like https://www.example.com, without a path';

const currencies = new Set(Intl.supportedValuesOf('currency'));

const writableFields = {
  url: z
    .string({ error: URL_RULE })
    .overwrite(addScheme)
    .max(2000, { error: URL_RULE })
    .refine(isWebAddress, { error: URL_RULE })
    .meta({
      description: 'Address of the website. Without a scheme, `https://` is added.',
      example: 'https://www.example.com',
    }),
  label: requiredText(255).meta({ description: 'Name of the website.', example: 'Shop' }),
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
    url: writableFields.url,
    label: writableFields.label,
    clientId: id.meta({ description: 'The account.' }),
    currency: writableFields.currency,
    languageAdmin: writableFields.languageAdmin,
    timezone: writableFields.timezone,
  })
  .meta({ id: 'Website', description: 'A website where visitors start conversations.' });

/** Not part of the REST resource. */
export const originsSchema = z
  .array(z.string({ error: ORIGINS_RULE }), { error: ORIGINS_RULE })
  .max(50, { error: ORIGINS_RULE })
  .refine((origins) => origins.every(isOrigin), { error: ORIGINS_RULE })
  .transform((origins) => [...new Set(origins)])
  .meta({
    description:
      "Origins whose pages visitors can use, for example `https://www.example.com`. If empty, the origin of the website's URL.",
  });

const MINUTES_RULE = 'must be a whole number from 0 to 1440';
const absenceMinutes = z
  .int({ error: MINUTES_RULE })
  .min(0, { error: MINUTES_RULE })
  .max(1440, { error: MINUTES_RULE });

/** Not part of the REST resource. */
export const absenceSchema = z.object({
  waitingAbsenceMinutes: absenceMinutes.meta({
    description:
      'Minutes of absence after which the waiting conversation of a visitor who left ends, 0 to 1440. Until then it is not offered to operators and keeps its place. With 0 it does not end, and is offered.',
  }),
  activeAbsenceMinutes: absenceMinutes.meta({
    description:
      'Minutes of absence after which the running conversation of a visitor who left is closed, 0 to 1440. With 0 it is not.',
  }),
});
type AbsenceSettings = z.output<typeof absenceSchema>;

/** For new websites. Those of earlier versions have 0. */
export const DEFAULT_ABSENCE_MINUTES: AbsenceSettings = { waitingAbsenceMinutes: 5, activeAbsenceMinutes: 10 };

export type Website = z.output<typeof websiteSchema> &
  Readonly<AbsenceSettings> & {
    readonly allowedOrigins: readonly string[];
    /** Increments when the secret is replaced. */
    readonly secretVersion: number;
    /** Null: always open. */
    readonly openingHours: OpeningHours | null;
    readonly widget: WidgetOverrides;
  };

/** The writable fields that are not part of the REST resource. */
interface NewerFields {
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly openingHours?: OpeningHours | null | undefined;
  readonly waitingAbsenceMinutes?: number | undefined;
  readonly activeAbsenceMinutes?: number | undefined;
  /** Null restores all defaults. */
  readonly widget?: WidgetUpdate | null | undefined;
}

const { url, label, ...optionalFields } = writableFields;
export const websiteCreate = z
  .strictObject({ url, label, ...z.object(optionalFields).partial().shape })
  .meta({ id: 'WebsiteCreate', description: 'A new website.' });
export const websiteUpdate = z
  .strictObject({
    ...websiteSchema.shape,
    _link: z.string().meta({ description: 'Accepted only if it equals the current value.' }),
  })
  .partial()
  .meta({ id: 'WebsiteUpdate', description: 'The fields of a website to change; all others stay unchanged.' });
export type WebsiteCreate = z.output<typeof websiteCreate> & NewerFields;
export type WebsiteUpdate = z.output<typeof websiteUpdate> & NewerFields;

/** Names of this machine: a page opened with any of them is the same page. */
const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Returns the allowed origins, by default the origin of the website's URL. */
export function resolveOrigins({ url, allowedOrigins }: Pick<Website, 'url' | 'allowedOrigins'>): readonly string[] {
  if (allowedOrigins.length > 0) return allowedOrigins;
  const { protocol, hostname, port, origin } = new URL(url);
  if (!LOOPBACK_HOSTS.includes(hostname)) return [origin];
  return LOOPBACK_HOSTS.map((host) => new URL(`${protocol}//${host}:${port}`).origin);
}

export function withWebsiteDefaults(
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

/** People often leave the scheme out; anything else is left as it is. */
function addScheme(address: string): string {
  return address.replace(ADDRESS_WITHOUT_SCHEME, 'https://$1');
}

export function isWebAddress(address: string): boolean {
  if (!isStorable(address) || /[\s\p{Cc}]/u.test(address)) return false;
  const url = URL.parse(address);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
}

/** As browsers send it: only scheme, host and port. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.origin === text &&
    !text.includes('*')
  );
}

export function isTimeZone(name: string): boolean {
  try {
    // Intl accepts offsets like +02:00, but they are not zones: they have no daylight saving time.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
