import { type GraphQLSchema, isObjectType } from 'graphql';

/** The extension of a field whose resolver checks a permission, and then returns the property of the same name. */
export const CHECKED_PROPERTY = 'checkedProperty';

/** For callers who can read every operator: compiled queries read the properties without calling a resolver. */
export function removeReadChecks(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) if (field.extensions[CHECKED_PROPERTY]) delete field.resolve;
  }
  return schema;
}
