import { createSchemaBuilder } from '../graphql-server/schema-builder.ts';
import type { VisitorContext } from './context.ts';

/** Every type of the visitors' schema is made with these, and with nothing of the operators'. */
export const { builder, ChannelEnum, wordsEnum, connectionType, connectionField, mutation, idInput } =
  createSchemaBuilder<VisitorContext>();
