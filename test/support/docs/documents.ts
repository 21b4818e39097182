import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';

export interface RootField {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly name: string;
  readonly field: GraphQLField<unknown, unknown>;
  /** A document that selects only this field, with example values for its required arguments. */
  readonly document: string;
}

export function operationsOf(schema: GraphQLSchema): RootField[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([kind, type]) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({
      kind,
      name: field.name,
      field,
      document: `${kind} { ${toSelection(field)} }`,
    })),
  );
}

function toSelection(field: GraphQLField<unknown, unknown>): string {
  const args = field.args.filter(isRequiredArgument).map(({ name, type }) => `${name}: ${exampleValue(type)}`);
  const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selection}`;
}

function exampleValue(type: GraphQLInputType): string {
  if (isNonNullType(type)) return exampleValue(type.ofType);
  if (isListType(type)) return `[${exampleValue(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(isRequiredInputField);
    return `{ ${fields.map((field) => `${field.name}: ${exampleValue(field.type)}`).join(', ')} }`;
  }
  const values: Readonly<Record<string, string>> = {
    ...{ Int: '1', Float: '1', Boolean: 'true', ID: '"1"', String: '"text"', DateTime: '"2026-01-01"' },
  };
  return values[type.name] ?? '"text"';
}
