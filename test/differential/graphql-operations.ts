import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { randomValue } from './graphql-values.ts';
import type { Random } from './random.ts';

export interface Document {
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

const MAX_DEPTH = 4;

/** A random root field with a random selection and random arguments. */
export function randomDocument(random: Random, root: GraphQLObjectType, keyword: 'query' | 'mutation'): Document {
  return buildDocument(random, random.pick(Object.values(root.getFields())), keyword);
}

/** The root field with this name. Pass `input` if its arguments depend on each other. */
export function documentFor(random: Random, schema: GraphQLSchema, name: string, input?: object): Document {
  const mutation = schema.getMutationType()?.getFields()[name];
  const field = mutation ?? schema.getQueryType()?.getFields()[name];
  if (!field) throw new Error(`The schema has no field ${name}.`);
  return buildDocument(random, field, mutation ? 'mutation' : 'query', input);
}

function buildDocument(
  random: Random,
  field: GraphQLField<unknown, unknown>,
  keyword: 'query' | 'mutation',
  input?: object,
): Document {
  const writer = new DocumentWriter(random);
  const selection = writer.field(field, 0, input === undefined ? undefined : { input });
  const declared = writer.declarations.length > 0 ? `(${writer.declarations.join(', ')})` : '';
  return { query: `${keyword}${declared} { ${selection} }`, variables: writer.variables };
}

class DocumentWriter {
  readonly declarations: string[] = [];
  readonly variables: Record<string, unknown> = {};
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  field(field: GraphQLField<unknown, unknown>, depth: number, values?: Record<string, unknown>): string {
    const type = getNamedType(field.type);
    return `${field.name}${this.#arguments(field, values)}${isLeafType(type) ? '' : this.#selection(type, depth + 1)}`;
  }

  #arguments({ args }: GraphQLField<unknown, unknown>, values: Record<string, unknown> = {}): string {
    const rendered: string[] = [];
    for (const { name, type } of args) {
      const value = values[name] ?? randomValue(this.#random, type, { name, isFilter: false });
      if (value === undefined) continue;
      const variable = `v${this.declarations.length}`;
      this.declarations.push(`$${variable}: ${type}`);
      this.variables[variable] = value;
      rendered.push(`${name}: $${variable}`);
    }
    return rendered.length > 0 ? `(${rendered.join(', ')})` : '';
  }

  /** All leaf fields, and a random part of the objects, fewer with increasing depth. */
  #selection(type: GraphQLNamedType, depth: number): string {
    if (!isObjectType(type)) throw new Error(`Type ${type.name} has no fields to select.`);
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)) && !needsArguments(field));
    const objects = fields.filter((field) => !isLeafType(getNamedType(field.type)));
    const selected = objects.filter(({ name }) => name === 'userErrors' || name === 'nodes' || this.#isSelected(depth));
    const parts = [...leaves.map(({ name }) => name), ...selected.map((field) => this.field(field, depth))];
    return ` { ${parts.length > 0 ? parts.join(' ') : '__typename'} }`;
  }

  #isSelected(depth: number): boolean {
    return depth < MAX_DEPTH && this.#random.chance(depth <= 1 ? 0.9 : depth === 2 ? 0.35 : 0.12);
  }
}

function needsArguments({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.some(({ type }) => String(type).endsWith('!'));
}
