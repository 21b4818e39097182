import { z } from 'zod';
import { id } from '../kernel/ids.ts';
import { text } from '../kernel/text.ts';

/** Groups and skills are both trees of names; they differ in who points at them. */
export type TreeKind = 'group' | 'skill';

const ORDER_RULE = 'must be a whole number from 0 to 1000000';

const name = text(1, 255).meta({ description: 'Name.' });
const parentId = id.nullable().meta({ description: 'The one above, or null at the top.' });
const createdAt = z
  .string()
  .meta({ description: 'When it was made: YYYY-MM-DD HH:MM:SS, UTC.', example: '2026-01-31 09:30:00' });
const order = z
  .int({ error: ORDER_RULE })
  .min(0, { error: ORDER_RULE })
  .max(1_000_000, { error: ORDER_RULE })
  .meta({ description: 'Place in lists shown to people.' });
const operatorList = z
  .array(id)
  .meta({ description: 'Identifiers of its operators; use the filter of the operator list.', deprecated: true });
const parentList = z.array(id).meta({ description: 'All above it, the nearest first.' });

const link = z.string().meta({ description: 'Accepted when it repeats the present value.' });

export const groupSchema = z
  .object({
    id: id.meta({ description: 'Group identifier.' }),
    name,
    createdAt,
    parentId,
    parentList,
    operatorList,
  })
  .meta({ id: 'Group', description: 'A group of operators, in a tree of groups.' });
export const groupCreate = z
  .strictObject({ name, parentId: parentId.optional() })
  .meta({ id: 'GroupCreate', description: 'A new group.' });
export const groupUpdate = z
  .strictObject({ ...groupSchema.shape, _link: link })
  .partial()
  .meta({ id: 'GroupUpdate', description: 'The fields of a group to change; all others stay as they are.' });

export const skillSchema = z
  .object({ id: id.meta({ description: 'Skill identifier.' }), name, order, createdAt, parentId, operatorList })
  .meta({ id: 'Skill', description: 'Something that operators can do, in a tree of skills.' });
export const skillCreate = z
  .strictObject({ name, order: order.optional(), parentId: parentId.optional() })
  .meta({ id: 'SkillCreate', description: 'A new skill.' });
export const skillUpdate = z
  .strictObject({ ...skillSchema.shape, _link: link })
  .partial()
  .meta({ id: 'SkillUpdate', description: 'The fields of a skill to change; all others stay as they are.' });

/** One group or skill as it is kept. */
export interface TreeNode {
  readonly id: number;
  readonly name: string;
  readonly order: number;
  readonly parentId: number | null;
  readonly createdAt: number;
  readonly operatorCount: number;
}

/** A node with all above it, the nearest first. */
export type PlacedNode = TreeNode & { readonly above: readonly number[] };

export interface TreeNodeInput {
  readonly name?: string | undefined;
  readonly order?: number | undefined;
  readonly parentId?: number | null | undefined;
}
