import { ROLES } from '../../core/kernel/roles.ts';
import { type AnyBuilder, addCommonTypes, createBuilder } from '../graphql-server/builder.ts';
import type { Context } from './context.ts';

/** Every type of the schema is made with this. */
export const builder = createBuilder<Context>();

export type Builder = typeof builder;

export const anyBuilder = builder as unknown as AnyBuilder;

export const { ChannelEnum } = addCommonTypes(anyBuilder);

const ROLE_TEXTS: Record<(typeof ROLES)[number], string> = {
  expert: 'Helps operators; sees pseudonyms and live states.',
  operator: 'Answers visitors; sees the names of others.',
  manager: 'Manages the operators of the own group and of those under it.',
  admin: 'May do everything in the account.',
};

export const RoleEnum = builder.enumType('Role', {
  description: 'What an operator may do.',
  values: Object.fromEntries(ROLES.map((role) => [role.toUpperCase(), { value: role, description: ROLE_TEXTS[role] }])),
});
