import { mutationTypes } from '../graphql-server/mutation-types.ts';
import { anyBuilder } from './builder.ts';
import type { Context } from './context.ts';

export const { UserErrorRef, payloadType, deletedType } = mutationTypes<Context>(anyBuilder);
