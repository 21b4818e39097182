import SchemaBuilder from '@pothos/core';
import { GraphQLError } from 'graphql';
import { CHANNELS, type Channel } from '../../core/kernel/channels.ts';

export interface SchemaTypes<Context extends object> {
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    /** Identifiers are decimal text for clients; whatever came is checked where it is used. */
    ID: { Input: string; Output: number };
    DateTime: { Input: Date; Output: Date | number };
    JSON: { Input: never; Output: unknown };
  };
}

/** The builder of a schema; fields are never null unless they say so. */
export function createBuilder<Context extends object>() {
  return new SchemaBuilder<SchemaTypes<Context>>({ defaultFieldNullability: false });
}

/** What its refs are marked with. */
export type BuilderTypes<Context extends object> = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes<Context>>;

/** Any of them: what makes the types that all schemas have does not look at the context. */
export type AnyBuilder = ReturnType<typeof createBuilder<object>>;

/** The types of plain values, and the roots. */
export function addCommonTypes(builder: AnyBuilder) {
  builder.queryType({ description: 'What can be read.' });
  builder.mutationType({ description: 'What can be changed. Each answers with the changed object and `userErrors`.' });
  builder.subscriptionType({ description: 'What can be watched, over the protocol graphql-transport-ws.' });
  builder.scalarType('DateTime', {
    description: 'A moment as ISO 8601 text in UTC, for example `2026-01-31T09:30:00.000Z`.',
    serialize: (value) => new Date(value).toISOString(),
    parseValue: (value) => {
      const date = typeof value === 'string' && ISO_8601.test(value) && isDay(value) ? new Date(value) : undefined;
      if (!date || Number.isNaN(date.getTime())) {
        throw new GraphQLError('A DateTime must be ISO 8601 text with a time zone, for example 2026-01-31T09:30:00Z.');
      }
      return date;
    },
  });
  const channelTexts = CHANNELS.map((channel) => [channel, `Conversations by ${channel}.`] as const);
  const ChannelEnum = wordsEnum<Channel>(
    builder,
    'Channel',
    'A way in which a conversation is held.',
    Object.fromEntries(channelTexts) as Record<Channel, string>,
  );
  return { ChannelEnum };
}

/** An enum whose values are words of the core, in capitals. */
export function wordsEnum<Word extends string>(
  builder: AnyBuilder,
  name: string,
  description: string,
  texts: Readonly<Record<Word, string>>,
) {
  const values = Object.entries<string>(texts).map(
    ([word, text]) => [word.toUpperCase(), { value: word as Word, description: text }] as const,
  );
  return builder.enumType(name, { description, values: Object.fromEntries(values) });
}

/** A day, or a moment with its time zone: without one it would mean another moment on every server. */
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Whether the calendar has the day: `Date` itself takes 31 February for 3 March. */
function isDay(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
}
