import type { Role } from '../../core/kernel/roles.ts';
import type { InputFieldBuilder as InputFieldBuilderOf } from '../graphql-server/mutation.ts';
import { createSchemaBuilder } from '../graphql-server/schema-builder.ts';
import type { Context } from './context.ts';

/** Every type of the schema is made with these. */
export const { builder, ChannelEnum, wordsEnum, connectionType, connectionField, mutation, idInput, UserErrorRef } =
  createSchemaBuilder<Context>();

export type InputFieldBuilder = InputFieldBuilderOf<Context>;

export const RoleEnum = wordsEnum<Role>('Role', 'What an operator may do.', {
  expert: 'Helps operators; sees pseudonyms and live states.',
  operator: 'Answers visitors; sees the names of others.',
  manager: 'Manages the operators of the own group and of those under it.',
  admin: 'May do everything in the account.',
});
