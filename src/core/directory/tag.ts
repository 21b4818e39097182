import { z } from 'zod';
import { id } from '../kernel/ids.ts';
import { text } from '../kernel/text.ts';

/** What callers write of a tag. */
export const tagFields = {
  name: text(1, 255).meta({ description: 'Name; unique in its account without regard to case.', example: 'Refund' }),
  websiteList: z
    .array(id, { error: 'must be a list of identifiers' })
    .max(1000, { error: 'must have at most 1000 identifiers' })
    .meta({ description: 'Websites whose conversations it is for. Left out when it is made: all of the account.' }),
};

export const tagCreate = z.strictObject({ name: tagFields.name, websiteList: tagFields.websiteList.optional() });
export const tagUpdate = z.strictObject(tagFields).partial();
export type TagCreate = z.output<typeof tagCreate>;
export type TagUpdate = z.output<typeof tagUpdate>;

/** A word that operators put on conversations. */
export interface Tag {
  readonly id: number;
  readonly name: string;
  readonly websiteList: readonly number[];
  readonly createdAt: number;
}
