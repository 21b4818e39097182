import type { InputFieldMap, InputShapeFromFields, OutputRef } from '@pothos/core';
import type { Commit } from '../../core/kernel/caller.ts';
import { type AnyBuilder, type BuilderTypes, wordsEnum } from './builder.ts';
import type { Changes, Payload } from './changes.ts';
import { CODE_TEXTS, type UserError } from './errors.ts';

/** Makes the fields of an input. */
export type InputFieldBuilder<Context extends object> = PothosSchemaTypes.InputFieldBuilder<
  BuilderTypes<Context>,
  'InputObject'
>;

/** What the answer of a mutation shows of its outcome, by the names of the fields. All are null when there are user errors. */
type Answer<T, Context> = Readonly<
  Record<
    string,
    {
      readonly type: OutputRef | 'ID' | 'Int' | 'String';
      readonly description: string;
      of(value: T, context: Context): unknown;
    }
  >
>;

/** An answer with the object that was changed, or with an object of the outcome. */
export function changed<T>(name: string, type: OutputRef<T>): Answer<T, unknown>;
export function changed<T, Context>(
  name: string,
  type: OutputRef,
  of: (outcome: T, context: Context) => unknown,
): Answer<T, Context>;
export function changed(
  name: string,
  type: OutputRef,
  of: (outcome: never, context: never) => unknown = (outcome) => outcome,
): Answer<never, never> {
  return { [name]: { type, description: 'The object as it is now; null when there are user errors.', of } };
}

/** The answer of a delete. */
export function deleted<T extends { readonly id: number }>(): Answer<T, unknown> {
  const description = 'The identifier that is gone; null when there are user errors.';
  return { deletedId: { type: 'ID', description, of: ({ id }) => id } };
}

interface Mutation<Context extends object, Fields extends InputFieldMap, T> {
  readonly description: string;
  readonly input: {
    readonly description: string;
    fields(t: InputFieldBuilder<Context>): Fields;
  };
  /** Describes the argument with the input. */
  readonly argument: string;
  readonly answer: Answer<T, Context>;
  /** Mistakes of the caller that it throws become user errors. */
  run(commit: Commit<T>, context: Context, input: InputShapeFromFields<Fields>): Promise<T>;
}

/** How every mutation is declared. */
export function mutationTypes<Context extends { readonly changes: Changes }>(builder: AnyBuilder) {
  const UserErrorCodeEnum = wordsEnum(builder, 'UserErrorCode', 'What kind of mistake a user error is.', CODE_TEXTS);

  const UserErrorRef = builder.objectRef<UserError>('UserError').implement({
    description: 'Something that the caller can mend. The mutation changed nothing.',
    fields: (t) => ({
      field: t.stringList({
        nullable: true,
        description: 'Path of the input field that is meant, if one is.',
        resolve: (error) => (error.field ? [...error.field] : null),
      }),
      message: t.exposeString('message', { description: 'The mistake in words, with what is allowed.' }),
      code: t.expose('code', { type: UserErrorCodeEnum, description: 'The kind of mistake.' }),
    }),
  });

  /** Adds a mutation with its one input and its answer: the types `<Name>Input` and `<Name>Payload`. */
  function mutation<Fields extends InputFieldMap, T>(
    name: string,
    { description, input, argument, answer, run }: Mutation<Context, Fields, T>,
  ): void {
    const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    const inputType = builder.inputType(`${typeName}Input`, input as never);
    const payload = builder.objectRef<Payload<T>>(`${typeName}Payload`).implement({
      description: `Answer of the mutation ${name}.`,
      fields: (t) => ({
        ...Object.fromEntries(
          Object.entries(answer).map(([field, { of, ...shown }]) => [
            field,
            t.field({
              ...(shown as { type: OutputRef; description: string }),
              nullable: true,
              resolve: ({ value }, _args, context) => (value === null ? null : of(value, context as Context)) as never,
            }),
          ]),
        ),
        userErrors: t.field({
          type: [UserErrorRef],
          description: 'What the caller can mend; empty when it worked.',
          resolve: ({ userErrors }) => [...userErrors],
        }),
      }),
    });
    builder.mutationField(name, (t) =>
      t.field({
        type: payload,
        description,
        args: { input: t.arg({ type: inputType, required: true, description: argument }) },
        resolve: (_root, args, of) => {
          const { input: given } = args as { input: InputShapeFromFields<Fields> };
          const context = of as Context;
          return context.changes.run<T>((commit) => run(commit, context, given)) as never;
        },
      }),
    );
  }

  /** The input of a mutation that only names an object. */
  const idInput = (description: string, which = 'Identifier.') => ({
    description,
    fields: (t: InputFieldBuilder<Context>) => ({ id: t.id({ required: true, description: which }) }),
  });

  return { UserErrorRef, mutation, idInput };
}
