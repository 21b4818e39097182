import { type AnyBuilder, addCommonTypes, createBuilder, createEnum } from './builder.ts';
import { addConnectionTypes } from './connection.ts';
import { addMutationTypes } from './mutation.ts';
import type { MutationRunner } from './mutation-runner.ts';
import { addNoticeTypes } from './notice.ts';

/** Creates the builder of one schema, with the types that all schemas have. Schemas share no builder. */
export function createSchemaBuilder<Context extends { readonly mutations: MutationRunner }>() {
  const builder = createBuilder<Context>();
  const anyBuilder = builder as unknown as AnyBuilder;
  return {
    builder,
    ...addCommonTypes(anyBuilder),
    ...addConnectionTypes<Context>(anyBuilder),
    ...addMutationTypes<Context>(anyBuilder),
    ...addNoticeTypes(anyBuilder),
    /** Adds an enum with the values of the core, in upper case. */
    createEnum: <Value extends string>(
      name: string,
      description: string,
      descriptions: Readonly<Record<Value, string>>,
    ) => createEnum(anyBuilder, name, description, descriptions),
  };
}
