import type { DeskAccount } from '../../state/model.ts';

/** Why the service would refuse a file, known before it is sent. */
export type FileProblem =
  | { readonly kind: 'refusedKind' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'tooLarge'; readonly size: number; readonly maxBytes: number };

export type FileRules = Pick<DeskAccount, 'attachmentKinds' | 'attachmentMaxBytes'>;

const USUAL = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];
/** Kinds that the service finds in the bytes. Of all others it may still find that they are plain text. */
const RECOGNISED =
  /^(image|audio|video|font)\/|^application\/(vnd\.|msword|zip|x-zip|x-rar|x-7z|x-msdownload|java-archive)/;

/** Undefined if the service may accept the file. */
export function findFileProblem(
  { type, size }: Pick<File, 'type' | 'size'>,
  rules: FileRules,
): FileProblem | undefined {
  const { attachmentKinds: added, attachmentMaxBytes: maxBytes } = rules;
  const isAllowed = USUAL.includes(type) || added.includes(type) || !RECOGNISED.test(type);
  if (!isAllowed) return { kind: 'refusedKind' };
  if (size === 0) return { kind: 'empty' };
  return size > maxBytes ? { kind: 'tooLarge', size, maxBytes } : undefined;
}
