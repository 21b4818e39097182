import { defaultFieldResolver, type GraphQLSchema } from 'graphql';

/** Records which operations are executed from now on. Each group is a schema and its variants. */
export function recordOperations(groups: Readonly<Record<string, readonly GraphQLSchema[]>>): {
  /** The operations that were not executed. */
  findMissing(): string[];
} {
  const missing = new Set<string>();
  for (const [group, schemas] of Object.entries(groups)) {
    for (const schema of schemas) {
      for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
        for (const field of Object.values(type?.getFields() ?? {})) {
          const name = `${group}: ${type}.${field.name}`;
          missing.add(name);
          const part = field.subscribe ? 'subscribe' : 'resolve';
          const execute = field[part] ?? defaultFieldResolver;
          field[part] = (...args) => {
            missing.delete(name);
            return execute(...args);
          };
        }
      }
    }
  }
  return { findMissing: () => [...missing] };
}
