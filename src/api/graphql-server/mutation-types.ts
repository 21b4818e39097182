import type { ObjectRef, OutputRef } from '@pothos/core';
import type { AnyBuilder, BuilderTypes } from './builder.ts';
import type { Payload } from './changes.ts';
import { CODE_TEXTS, type UserError, type UserErrorCode } from './errors.ts';

/** What a mutation changed, and how its answer shows it. */
interface Thing<T, Context> {
  readonly name: string;
  readonly type: OutputRef | 'ID' | 'String' | readonly [OutputRef];
  readonly description?: string;
  of?(value: T, context: Context): unknown;
}

/** The types of every mutation's answer. */
export function mutationTypes<Context extends object>(builder: AnyBuilder) {
  const UserErrorCodeEnum = builder.enumType('UserErrorCode', {
    description: 'What kind of mistake a user error is.',
    values: Object.fromEntries(
      Object.entries(CODE_TEXTS).map(([code, description]) => [code, { value: code as UserErrorCode, description }]),
    ),
  });

  const UserErrorRef = builder.objectRef<UserError>('UserError').implement({
    description: 'Something that the caller can mend. The mutation changed nothing.',
    fields: (t) => ({
      field: t.stringList({
        nullable: true,
        description: 'Path of the input field that is meant, if one is.',
        resolve: (error) => (error.field ? [...error.field] : null),
      }),
      message: t.exposeString('message', { description: 'The mistake in words, with what is allowed.' }),
      code: t.field({ type: UserErrorCodeEnum, description: 'The kind of mistake.', resolve: (error) => error.code }),
    }),
  });

  /** The type of a mutation's answer: something of the outcome under a name, and the user errors. */
  function payloadType<T>(name: string, thing: Thing<T, Context>): ObjectRef<BuilderTypes<Context>, Payload<T>> {
    const ref = builder.objectRef<Payload<T>>(`${name}Payload`).implement({
      description: `Answer of the mutation ${name[0]?.toLowerCase()}${name.slice(1)}.`,
      fields: (t) => ({
        [thing.name]: t.field({
          type: thing.type as OutputRef,
          nullable: true,
          description: thing.description ?? 'The object as it is now; null when there are user errors.',
          resolve: ({ value }, _args, context) =>
            (value === null || !thing.of ? value : thing.of(value, context as Context)) as never,
        }),
        userErrors: t.field({
          type: [UserErrorRef],
          description: 'What the caller can mend; empty when it worked.',
          resolve: (payload) => [...payload.userErrors],
        }),
      }),
    });
    return ref as unknown as ObjectRef<BuilderTypes<Context>, Payload<T>>;
  }

  /** The answer of a delete: the identifier that is gone. */
  function deletedType(name: string) {
    return payloadType<{ id: number }>(name, {
      name: 'deletedId',
      type: 'ID',
      description: 'The identifier that is gone; null when there are user errors.',
      of: (value) => value.id,
    });
  }

  return { UserErrorRef, payloadType, deletedType };
}
