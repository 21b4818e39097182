import { connectionTypes, SLICE_ARGUMENTS } from '../graphql-server/connection.ts';
import { anyBuilder, type Builder } from './builder.ts';

export const { connectionType } = connectionTypes(anyBuilder);

type ArgumentBuilder = Parameters<Parameters<Builder['queryField']>[1]>[0]['arg'];

export function sliceArguments(arg: ArgumentBuilder) {
  const { first, after, last, before } = SLICE_ARGUMENTS;
  return { first: arg.int(first), after: arg.string(after), last: arg.int(last), before: arg.string(before) };
}
