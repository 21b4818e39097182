import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import type { OperationTurns } from './turns.ts';

/**
 * Makes every field that returns objects build its result in turns. Otherwise a list of a hundred rows, or a hundred
 * rows whose related objects were loaded together, would keep the event loop until the last one is complete.
 */
export function resolveInTurns(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const isLoaded = !field.resolve && !isListType(getNullableType(field.type)); // a property, which needs no turn
      if (isCompositeType(getNamedType(field.type)) && !isLoaded) wrapResolver(field);
    }
  }
  return schema;
}

function wrapResolver(field: GraphQLField<unknown, { readonly turns: OperationTurns }>): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (source, args, context, info) => {
    const result = resolve(source, args, context, info);
    const { turns } = context;
    if (Array.isArray(result)) return turns.spread(result);
    if (!(result instanceof Promise)) return result;
    return result.then(
      (value) => (Array.isArray(value) ? turns.passList(value) : turns.pass(value)),
      async (error) => {
        await turns.pass(undefined);
        throw error;
      },
    );
  };
}
