import SchemaBuilder from '@pothos/core';
import { GraphQLError } from 'graphql';
import { CHANNELS, type Channel } from '../../core/kernel/channels.ts';

export interface SchemaTypes<Context extends object> {
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    /** Decimal text for clients; inputs are validated where they are used. */
    ID: { Input: string; Output: number | string };
    DateTime: { Input: Date; Output: Date | number };
    JSON: { Input: never; Output: unknown };
  };
}

/** Fields are non-null unless declared `nullable`. */
export function createBuilder<Context extends object>() {
  return new SchemaBuilder<SchemaTypes<Context>>({ defaultFieldNullability: false });
}

/** The type parameter of the builder's refs. */
export type BuilderTypes<Context extends object> = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes<Context>>;

/** A builder of any schema: shared types do not use the context. */
export type AnyBuilder = ReturnType<typeof createBuilder<object>>;

/** Adds the root types, `DateTime` and `Channel`. */
export function addCommonTypes(builder: AnyBuilder) {
  builder.queryType({ description: 'The root of all queries.' });
  builder.mutationType({ description: 'The root of all mutations. Each returns the changed object and `userErrors`.' });
  builder.subscriptionType({
    description: 'The root of all subscriptions, served over the `graphql-transport-ws` protocol.',
  });
  builder.scalarType('DateTime', {
    description: 'A date and time in ISO 8601 format, in UTC: `2026-01-31T09:30:00.000Z`.',
    serialize: (value) => new Date(value).toISOString(),
    parseValue: (value) => {
      const date =
        typeof value === 'string' && ISO_8601.test(value) && isCalendarDate(value) ? new Date(value) : undefined;
      if (!date || Number.isNaN(date.getTime())) {
        throw new GraphQLError(
          'A DateTime must be in ISO 8601 format with a time zone, for example 2026-01-31T09:30:00Z.',
        );
      }
      return date;
    },
  });
  const channelDescriptions = CHANNELS.map((channel) => [channel, `Conversations by ${channel}.`] as const);
  const ChannelEnum = createEnum<Channel>(
    builder,
    'Channel',
    'The medium of a conversation.',
    Object.fromEntries(channelDescriptions) as Record<Channel, string>,
  );
  return { ChannelEnum };
}

/** Adds an enum with the values of the core, in upper case. */
export function createEnum<Value extends string>(
  builder: AnyBuilder,
  name: string,
  description: string,
  descriptions: Readonly<Record<Value, string>>,
) {
  const values = Object.entries<string>(descriptions).map(
    ([value, text]) => [value.toUpperCase(), { value: value as Value, description: text }] as const,
  );
  return builder.enumType(name, { description, values: Object.fromEntries(values) });
}

/** A date, or a date and time with a time zone: without one the meaning would depend on the server's time zone. */
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** `Date` silently turns 31 February into 3 March. */
function isCalendarDate(text: string): boolean {
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text.slice(0, 10));
}
