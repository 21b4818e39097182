import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import { requireTwoFactorSetUp } from '../../core/kernel/caller.ts';
import type { Context } from './context.ts';

/** What callers may run who must set up two-factor authentication first. Their payloads lead to no other objects. */
const SET_UP: ReadonlySet<string> = new Set(['twoFactorStart', 'twoFactorConfirm']);

/**
 * Refuses every other field of the query, mutation and subscription types to these callers, before its resolver runs.
 * Introspection has no such field, so it stays possible.
 */
export function refuseRestrictedCallers(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (SET_UP.has(field.name)) continue;
      const { resolve = defaultFieldResolver, subscribe } = field;
      field.resolve = (source, args, context: Context, info) => {
        requireTwoFactorSetUp(context.caller);
        return resolve(source, args, context, info);
      };
      if (!subscribe) continue;
      field.subscribe = (source, args, context: Context, info) => {
        requireTwoFactorSetUp(context.caller);
        return subscribe(source, args, context, info);
      };
    }
  }
  return schema;
}
