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
  /** A document that asks for this field alone, with some value for all that it needs. */
  readonly document: string;
}

/** Every operation of a schema. */
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
      document: `${kind} { ${asked(field)} }`,
    })),
  );
}

function asked(field: GraphQLField<unknown, unknown>): string {
  const args = field.args.filter(isRequiredArgument).map(({ name, type }) => `${name}: ${exampleOf(type)}`);
  const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selection}`;
}

function exampleOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return exampleOf(type.ofType);
  if (isListType(type)) return `[${exampleOf(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(isRequiredInputField);
    return `{ ${fields.map((field) => `${field.name}: ${exampleOf(field.type)}`).join(', ')} }`;
  }
  const values: Readonly<Record<string, string>> = {
    ...{ Int: '1', Float: '1', Boolean: 'true', ID: '"1"', String: '"text"', DateTime: '"2026-01-01"' },
  };
  return values[type.name] ?? '"text"';
}
