import type { InputFieldMap, InputShapeFromFields, OutputRef } from '@pothos/core';
import type { Commit } from '../../core/kernel/caller.ts';
import { type AnyBuilder, type BuilderTypes, createEnum } from './builder.ts';
import { findUserErrors, USER_ERROR_CODE_DESCRIPTIONS, type UserError } from './errors.ts';
import type { MutationRunner, Payload } from './mutation-runner.ts';

export type InputFieldBuilder<Context extends object> = PothosSchemaTypes.InputFieldBuilder<
  BuilderTypes<Context>,
  'InputObject'
>;

/** The fields of a mutation's payload by name. All are null if there are user errors. */
type PayloadFields<T, Context> = Readonly<
  Record<
    string,
    {
      readonly type: OutputRef | 'ID' | 'Int' | 'String' | readonly ['String'];
      readonly description: string;
      resolve(value: T, context: Context): unknown;
    }
  >
>;

/** A payload with the changed object, by default the result of the mutation itself. */
export function objectPayload<T>(name: string, type: OutputRef<T>): PayloadFields<T, unknown>;
export function objectPayload<T, Context>(
  name: string,
  type: OutputRef,
  resolve: (result: T, context: Context) => unknown,
): PayloadFields<T, Context>;
export function objectPayload(
  name: string,
  type: OutputRef,
  resolve: (result: never, context: never) => unknown = (result) => result,
): PayloadFields<never, never> {
  return { [name]: { type, description: 'The object after the change. Null if there are user errors.', resolve } };
}

export function deletedIdPayload<T extends { readonly id: number }>(): PayloadFields<T, unknown> {
  const description = 'The identifier of the deleted object. Null if there are user errors.';
  return { deletedId: { type: 'ID', description, resolve: ({ id }) => id } };
}

interface Mutation<Context extends object, Fields extends InputFieldMap, T> {
  readonly description: string;
  readonly input: {
    readonly description: string;
    fields(t: InputFieldBuilder<Context>): Fields;
  };
  readonly argumentDescription: string;
  readonly payload: PayloadFields<T, Context>;
  /**
   * Throws unless the caller may make the change. Called when `run` rejects the input: a caller without the permission
   * must not learn what is wrong with it. On success it would only repeat the check of the service.
   */
  authorize?(context: Context, input: InputShapeFromFields<Fields>): Promise<void> | void;
  /** Errors that the caller can fix become user errors. */
  run(commit: Commit<T>, context: Context, input: InputShapeFromFields<Fields>): Promise<T>;
}

/** Adds the types of user errors, and returns the functions that declare mutations. */
export function addMutationTypes<Context extends { readonly mutations: MutationRunner }>(builder: AnyBuilder) {
  const UserErrorCodeEnum = createEnum(
    builder,
    'UserErrorCode',
    'The kind of user error.',
    USER_ERROR_CODE_DESCRIPTIONS,
  );

  const UserErrorParameterRef = builder
    .objectRef<{ readonly name: string; readonly value: string }>('UserErrorParameter')
    .implement({
      description: 'A value that the message of a user error mentions.',
      fields: (t) => ({
        name: t.exposeString('name', { description: 'The name of the parameter.' }),
        value: t.exposeString('value', { description: 'The value as text. Times are in ISO 8601, in UTC.' }),
      }),
    });

  const UserErrorRef = builder.objectRef<UserError>('UserError').implement({
    description: 'An error that the caller can fix. The mutation changed nothing.',
    fields: (t) => ({
      field: t.stringList({
        nullable: true,
        description: 'The path of the input field that caused the error, if any.',
        resolve: (error) => (error.field ? [...error.field] : null),
      }),
      message: t.exposeString('message', { description: 'What is wrong, and what is allowed.' }),
      code: t.expose('code', { type: UserErrorCodeEnum, description: 'The kind of error.' }),
      reason: t.string({
        nullable: true,
        description:
          'Tells apart errors of the same kind, for programs. Null for most. New reasons may be added: ignore unknown ones.',
        resolve: ({ reason }) => reason ?? null,
      }),
      parameters: t.field({
        type: [UserErrorParameterRef],
        description: 'The values that belong to the reason.',
        resolve: ({ parameters = {} }) => Object.entries(parameters).map(([name, value]) => ({ name, value })),
      }),
    }),
  });

  /** Adds a mutation with the types `<Name>Input` and `<Name>Payload`. */
  function addMutation<Fields extends InputFieldMap, T>(
    name: string,
    { description, input, argumentDescription, payload, authorize, run }: Mutation<Context, Fields, T>,
  ): void {
    const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    const inputType = builder.inputType(`${typeName}Input`, input as never);
    const payloadType = builder.objectRef<Payload<T>>(`${typeName}Payload`).implement({
      description: `The payload of \`${name}\`.`,
      fields: (t) => ({
        ...Object.fromEntries(
          Object.entries(payload).map(([field, { resolve, ...options }]) => [
            field,
            t.field({
              ...(options as { type: OutputRef; description: string }),
              nullable: true,
              resolve: ({ value }, _args, context) =>
                (value === null ? null : resolve(value, context as Context)) as never,
            }),
          ]),
        ),
        userErrors: t.field({
          type: [UserErrorRef],
          description: 'Errors that the caller can fix. Empty on success.',
          resolve: ({ userErrors }) => [...userErrors],
        }),
      }),
    });
    builder.mutationField(name, (t) =>
      t.field({
        type: payloadType,
        description,
        args: { input: t.arg({ type: inputType, required: true, description: argumentDescription }) },
        resolve: (_root, args, untypedContext) => {
          const { input: inputValue } = args as { input: InputShapeFromFields<Fields> };
          const context = untypedContext as Context;
          return context.mutations.run<T>(async (commit) => {
            try {
              return await run(commit, context, inputValue);
            } catch (error) {
              if (findUserErrors(error)) await authorize?.(context, inputValue);
              throw error;
            }
          }) as never;
        },
      }),
    );
  }

  /** The input of a mutation that takes only an identifier. */
  const idInput = (description: string, idDescription = 'The identifier.') => ({
    description,
    fields: (t: InputFieldBuilder<Context>) => ({ id: t.id({ required: true, description: idDescription }) }),
  });

  return { UserErrorRef, addMutation, idInput };
}
