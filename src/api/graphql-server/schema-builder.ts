import { type AnyBuilder, addCommonTypes, createBuilder, wordsEnum } from './builder.ts';
import type { Changes } from './changes.ts';
import { connectionTypes } from './connection.ts';
import { mutationTypes } from './mutation.ts';

/** The builder of a schema, with all that schemas have in common: each has a builder of its own, and nothing of another's. */
export function createSchemaBuilder<Context extends { readonly changes: Changes }>() {
  const builder = createBuilder<Context>();
  const common = builder as unknown as AnyBuilder;
  return {
    builder,
    ...addCommonTypes(common),
    ...connectionTypes<Context>(common),
    ...mutationTypes<Context>(common),
    /** An enum whose values are words of the core, in capitals. */
    wordsEnum: <Word extends string>(name: string, description: string, texts: Readonly<Record<Word, string>>) =>
      wordsEnum(common, name, description, texts),
  };
}
