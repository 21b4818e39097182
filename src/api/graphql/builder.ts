import type { Role } from '../../core/kernel/roles.ts';
import type { InputFieldBuilder as InputFieldBuilderOf } from '../graphql-server/mutation.ts';
import { createSchemaBuilder } from '../graphql-server/schema-builder.ts';
import type { Context } from './context.ts';

export const {
  builder,
  ChannelEnum,
  createEnum,
  connectionType,
  connectionField,
  addMutation,
  idInput,
  NoticeRef,
  UserErrorRef,
} = createSchemaBuilder<Context>();

export type InputFieldBuilder = InputFieldBuilderOf<Context>;

export const RoleEnum = createEnum<Role>('Role', 'A role of an operator.', {
  expert: 'Helps operators. Sees the pseudonym and live state of other operators.',
  operator: 'Answers visitors. Sees the names and live state of other operators.',
  manager: 'Manages the operators in their group and its subgroups.',
  admin: 'Can do everything in the account.',
});
