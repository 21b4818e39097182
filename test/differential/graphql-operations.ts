import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import type { Dice } from './dice.ts';
import { someValue } from './graphql-values.ts';

export interface Document {
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

const DEEPEST = 4;

/** A field of the schema's root with what it answers and what it is given, all by chance. */
export function someDocument(dice: Dice, root: GraphQLObjectType, keyword: 'query' | 'mutation'): Document {
  return documentFor(dice, dice.pick(Object.values(root.getFields())), keyword);
}

/** The named field of a root, with chosen variables where the arguments have to fit each other. */
export function documentOf(dice: Dice, schema: GraphQLSchema, name: string, input?: object): Document {
  const mutation = schema.getMutationType()?.getFields()[name];
  const field = mutation ?? schema.getQueryType()?.getFields()[name];
  if (!field) throw new Error(`The schema has no field ${name}.`);
  return documentFor(dice, field, mutation ? 'mutation' : 'query', input);
}

function documentFor(
  dice: Dice,
  field: GraphQLField<unknown, unknown>,
  keyword: 'query' | 'mutation',
  input?: object,
): Document {
  const writer = new DocumentWriter(dice);
  const selection = writer.field(field, 0, input === undefined ? undefined : { input });
  const declared = writer.declarations.length > 0 ? `(${writer.declarations.join(', ')})` : '';
  return { query: `${keyword}${declared} { ${selection} }`, variables: writer.variables };
}

class DocumentWriter {
  readonly declarations: string[] = [];
  readonly variables: Record<string, unknown> = {};
  readonly #dice: Dice;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  field(field: GraphQLField<unknown, unknown>, depth: number, given?: Record<string, unknown>): string {
    const type = getNamedType(field.type);
    return `${field.name}${this.#arguments(field, given)}${isLeafType(type) ? '' : this.#selection(type, depth + 1)}`;
  }

  #arguments({ args }: GraphQLField<unknown, unknown>, given: Record<string, unknown> = {}): string {
    const taken: string[] = [];
    for (const { name, type } of args) {
      const value = given[name] ?? someValue(this.#dice, type, { name, isFilter: false });
      if (value === undefined) continue;
      const variable = `v${this.declarations.length}`;
      this.declarations.push(`$${variable}: ${type}`);
      this.variables[variable] = value;
      taken.push(`${name}: $${variable}`);
    }
    return taken.length > 0 ? `(${taken.join(', ')})` : '';
  }

  /** All plain fields, and of the others the fewer the deeper it is. */
  #selection(type: GraphQLNamedType, depth: number): string {
    if (!isObjectType(type)) throw new Error(`Nothing can be selected of ${type.name}.`);
    const fields = Object.values(type.getFields());
    const plain = fields.filter((field) => isLeafType(getNamedType(field.type)) && !needsArguments(field));
    const others = fields.filter((field) => !isLeafType(getNamedType(field.type)));
    const wanted = others.filter(({ name }) => name === 'userErrors' || name === 'nodes' || this.#wants(depth));
    const parts = [...plain.map(({ name }) => name), ...wanted.map((field) => this.field(field, depth))];
    return ` { ${parts.length > 0 ? parts.join(' ') : '__typename'} }`;
  }

  #wants(depth: number): boolean {
    return depth < DEEPEST && this.#dice.chance(depth <= 1 ? 0.9 : depth === 2 ? 0.35 : 0.12);
  }
}

function needsArguments({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.some(({ type }) => String(type).endsWith('!'));
}
