import { z } from 'zod';
import { text } from '../../kernel/text.ts';

/** What visitors may say about themselves. All of it is personal: these values never enter the event log. */
export const visitorProfile = z.strictObject({
  lastname: text(0, 100).meta({ description: 'Last name.' }),
  firstname: text(0, 100).meta({ description: 'First name.' }),
  address: text(0, 255).meta({ description: 'Street and number.' }),
  city: text(0, 100).meta({ description: 'City.' }),
  zip: text(0, 20).meta({ description: 'Postal code.' }),
  country: text(0, 100).meta({ description: 'Country.' }),
  phone: text(0, 50).meta({ description: 'Phone number.' }),
  email: text(0, 255).meta({ description: 'E-mail.' }),
});
export type VisitorProfile = z.output<typeof visitorProfile>;

export const PROFILE_FIELDS = Object.keys(visitorProfile.shape) as (keyof VisitorProfile)[];

/** Changes only the fields that are present. */
export const visitorUpdate = visitorProfile.partial();
export type VisitorUpdate = z.output<typeof visitorUpdate>;

const MAX_BROWSER_LENGTH = 255;

/** Makes a `User-Agent` header storable: no NUL, well-formed, limited length. */
export function sanitizeUserAgent(userAgent: string | undefined): string {
  return (userAgent ?? '').replaceAll('\0', '').toWellFormed().slice(0, MAX_BROWSER_LENGTH).toWellFormed();
}
