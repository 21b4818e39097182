import type { Reader } from '../../core/attachments/addresses.ts';
import type { ReadAttachment } from '../../core/attachments/attachment-query.ts';
import type { Attachments } from '../../core/attachments/attachments.ts';
import { findKind } from '../../core/kernel/file-kinds.ts';
import type { AnyBuilder } from './builder.ts';

interface AttachmentContext {
  readonly services: { readonly attachments: Pick<Attachments, 'addresses'> };
}

/** Adds the type of files. Their addresses are for readers of this kind. */
export function addAttachmentType(builder: AnyBuilder, reader: Reader) {
  const sign = (file: ReadAttachment, context: object) =>
    (context as AttachmentContext).services.attachments.addresses.sign(file, reader, file.now);
  return builder.objectRef<ReadAttachment>('Attachment').implement({
    description: 'A file of a message.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'The identifier of the attachment.' }),
      name: t.exposeString('name', { description: 'The name of the file, with an extension that fits its kind.' }),
      size: t.exposeInt('size', { description: 'The size in bytes.' }),
      kind: t.exposeString('kind', { description: 'The media type, found in the content of the file.' }),
      isImage: t.boolean({
        description: 'Whether browsers can show it in an image element.',
        resolve: ({ kind }) => findKind(kind)?.isImage === true,
      }),
      width: t.exposeInt('width', { nullable: true, description: 'The width of an image in pixels.' }),
      height: t.exposeInt('height', { nullable: true, description: 'The height of an image in pixels.' }),
      url: t.string({
        description:
          'The address of the file, relative to that of the service. It needs no credential and ends after some minutes: read the message again to get a new one.',
        resolve: (file, _args, context) => sign(file, context).url,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'When the address ends.',
        resolve: (file, _args, context) => sign(file, context).expiresAt,
      }),
    }),
  });
}
