import { type AnyBuilder, addCommonTypes, createBuilder } from '../graphql-server/builder.ts';
import { connectionTypes } from '../graphql-server/connection.ts';
import { mutationTypes } from '../graphql-server/mutation-types.ts';
import type { VisitorContext } from './context.ts';

/** Every type of the visitors' schema is made with this, and with nothing of the operators'. */
export const builder = createBuilder<VisitorContext>();

const anyBuilder = builder as unknown as AnyBuilder;

export const { ChannelEnum } = addCommonTypes(anyBuilder);
export const { payloadType } = mutationTypes<VisitorContext>(anyBuilder);
export const { connectionType } = connectionTypes(anyBuilder);
