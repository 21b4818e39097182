import { type AnyBuilder, addCommonTypes, createBuilder, createEnum } from './builder.ts';
import { addConnectionTypes } from './connection.ts';
import { addMutationTypes } from './mutation.ts';
import type { MutationRunner } from './mutation-runner.ts';

/** Creates the builder of one schema, with the types that all schemas have. Schemas share no builder. */
export function createSchemaBuilder<Context extends { readonly mutations: MutationRunner }>() {
  const builder = createBuilder<Context>();
  const common = builder as unknown as AnyBuilder;
  return {
    builder,
    ...addCommonTypes(common),
    ...addConnectionTypes<Context>(common),
    ...addMutationTypes<Context>(common),
    /** Adds an enum whose values are those of the core, in upper case. */
    createEnum: <Value extends string>(
      name: string,
      description: string,
      descriptions: Readonly<Record<Value, string>>,
    ) => createEnum(common, name, description, descriptions),
  };
}
