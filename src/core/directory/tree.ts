import { z } from 'zod';
import { id } from '../kernel/ids.ts';
import { requiredText } from '../kernel/text.ts';

/** Groups and skills are both trees of names. */
export type TreeKind = 'group' | 'skill';

const ORDER_RULE = 'must be a whole number from 0 to 1000000';

const name = requiredText(255).meta({ description: 'Name.' });
const parentId = id.nullable().meta({ description: 'Parent identifier; null at the top level.' });
const createdAt = z
  .string()
  .meta({ description: 'Creation time: YYYY-MM-DD HH:MM:SS, UTC.', example: '2026-01-31 09:30:00' });
const order = z
  .int({ error: ORDER_RULE })
  .min(0, { error: ORDER_RULE })
  .max(1_000_000, { error: ORDER_RULE })
  .meta({ description: 'Position in displayed lists.' });
const operatorList = z.array(id).meta({
  description: 'Identifiers of its operators. Use the filter of the operator list instead.',
  deprecated: true,
});
const parentList = z.array(id).meta({ description: 'Identifiers of its ancestors, nearest first.' });

const linkField = z.string().meta({ description: 'Accepted only if it equals the current value.' });

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
  .strictObject({ ...groupSchema.shape, _link: linkField })
  .partial()
  .meta({ id: 'GroupUpdate', description: 'The fields of a group to change; all others stay unchanged.' });

export const skillSchema = z
  .object({ id: id.meta({ description: 'Skill identifier.' }), name, order, createdAt, parentId, operatorList })
  .meta({ id: 'Skill', description: 'Something that operators can do, in a tree of skills.' });
export const skillCreate = z
  .strictObject({ name, order: order.optional(), parentId: parentId.optional() })
  .meta({ id: 'SkillCreate', description: 'A new skill.' });
export const skillUpdate = z
  .strictObject({ ...skillSchema.shape, _link: linkField })
  .partial()
  .meta({ id: 'SkillUpdate', description: 'The fields of a skill to change; all others stay unchanged.' });

/** A stored group or skill. */
export interface TreeNode {
  readonly id: number;
  readonly name: string;
  readonly order: number;
  readonly parentId: number | null;
  readonly createdAt: number;
  readonly operatorCount: number;
}

/** `ancestors`: their identifiers, nearest first. */
export type NodeWithAncestors = TreeNode & { readonly ancestors: readonly number[] };

export interface TreeNodeInput {
  readonly name?: string | undefined;
  readonly order?: number | undefined;
  readonly parentId?: number | null | undefined;
}
