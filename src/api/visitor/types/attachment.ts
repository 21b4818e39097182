import { addAttachmentType } from '../../graphql-server/attachment.ts';
import type { AnyBuilder } from '../../graphql-server/builder.ts';
import { builder } from '../builder.ts';

export const AttachmentRef = addAttachmentType(builder as unknown as AnyBuilder, 'visitor');
