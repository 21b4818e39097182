import { z } from 'zod';
import { isTimeZone, isWebAddress } from '../../directory/website.ts';
import { text } from '../../kernel/text.ts';

export const MAX_FIELDS = 20;

const ADDRESS_RULE = 'must be an http or https address of at most 2000 characters, or empty';
const ZONE_RULE = 'must be a time zone like Europe/Paris, or empty';
const LANGUAGE_RULE = 'must be a language tag like fr or fr-CA, or empty';
const FIELDS_RULE = `must be a list of at most ${MAX_FIELDS} fields with different names`;

const address = z
  .string({ error: ADDRESS_RULE })
  .max(2000, { error: ADDRESS_RULE })
  .refine((value) => value === '' || isWebAddress(value), { error: ADDRESS_RULE });

/** A custom field: the website chooses the name. */
export const customField = z.strictObject({ name: text(1, 64), value: text(0, 500) });
export type CustomField = z.output<typeof customField>;

const completeContext = z.strictObject({
  page: address.meta({ description: 'The address of the page, http or https, at most 2000 characters.' }),
  title: text(0, 500).meta({ description: 'The title of the page, at most 500 characters.' }),
  referrer: address.meta({ description: 'The address of the page that led to this one, as `document.referrer`.' }),
  timezone: z
    .string({ error: ZONE_RULE })
    .max(64, { error: ZONE_RULE })
    .refine((value) => value === '' || isTimeZone(value), { error: ZONE_RULE })
    .meta({ description: "The visitor's time zone, for example Europe/Paris." }),
  language: z
    .string({ error: LANGUAGE_RULE })
    .max(35, { error: LANGUAGE_RULE })
    .regex(/^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$/, { error: LANGUAGE_RULE })
    .meta({ description: 'The language of the browser, as `navigator.language`: fr, fr-CA.' }),
  fields: z
    .array(customField, { error: FIELDS_RULE })
    .max(MAX_FIELDS, { error: FIELDS_RULE })
    .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, { error: FIELDS_RULE }),
});
/** What the page of a visitor says about itself and the visitor. Omitted values stay unchanged. */
export const visitorContext = completeContext.partial();
export type VisitorContextInput = z.output<typeof visitorContext>;

/** The stored context of a visitor. */
export interface VisitorContext extends Readonly<z.output<typeof completeContext>> {
  /** Custom fields that the website has signed. */
  readonly verifiedFields: readonly CustomField[];
  /** Names of the visitor's details that the website has signed, for example `email`. */
  readonly verifiedDetails: readonly string[];
  readonly updatedAt: number;
}

export const EMPTY_CONTEXT: Omit<VisitorContext, 'updatedAt'> = {
  ...{ page: '', title: '', referrer: '', timezone: '', language: '' },
  ...{ fields: [], verifiedFields: [], verifiedDetails: [] },
};

/** A custom field as operators see it. */
export interface ShownField extends CustomField {
  readonly isVerified: boolean;
}

/** Lists the signed fields first. A field that is not signed cannot replace one that is. */
export function listFields({
  fields,
  verifiedFields,
}: Pick<VisitorContext, 'fields' | 'verifiedFields'>): ShownField[] {
  const verifiedNames = new Set(verifiedFields.map(({ name }) => name));
  return [
    ...verifiedFields.map((field) => ({ ...field, isVerified: true })),
    ...fields.filter(({ name }) => !verifiedNames.has(name)).map((field) => ({ ...field, isVerified: false })),
  ];
}
