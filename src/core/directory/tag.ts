import { z } from 'zod';
import { id } from '../kernel/ids.ts';
import { requiredText } from '../kernel/text.ts';

export const tagFields = {
  name: requiredText(255).meta({ description: 'Name; unique in the account, ignoring case.', example: 'Refund' }),
  websiteList: z
    .array(id, { error: 'must be a list of identifiers' })
    .max(1000, { error: 'must have at most 1000 identifiers' })
    .meta({ description: 'Websites whose conversations can have the tag. Defaults to all websites of the account.' }),
};

export const tagCreate = z.strictObject({ name: tagFields.name, websiteList: tagFields.websiteList.optional() });
export const tagUpdate = z.strictObject(tagFields).partial();
export type TagCreate = z.output<typeof tagCreate>;
export type TagUpdate = z.output<typeof tagUpdate>;

/** A label that operators set on conversations. */
export interface Tag {
  readonly id: number;
  readonly name: string;
  readonly websiteList: readonly number[];
  readonly createdAt: number;
}
