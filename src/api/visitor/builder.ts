import { createSchemaBuilder } from '../graphql-server/schema-builder.ts';
import type { VisitorContext } from './context.ts';

/** Separate from the operators' builder, so that the schemas share no types. */
export const { builder, ChannelEnum, createEnum, connectionType, connectionField, addMutation, idInput, NoticeRef } =
  createSchemaBuilder<VisitorContext>();
