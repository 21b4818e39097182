import { z } from 'zod';

/** A kind of file, by its media type as found in the bytes. */
export interface FileKind {
  readonly type: string;
  /** The usual extension first. */
  readonly extensions: readonly [string, ...string[]];
  /** Shown by browsers in an image element, with dimensions that are checked. */
  readonly isImage?: true;
}

/** What everyone can send. Text has no magic number: see core/attachments/text-check.ts. */
export const PLAIN_TEXT: FileKind = { type: 'text/plain', extensions: ['txt', 'text', 'log', 'csv', 'md'] };
const USUAL_KINDS: readonly FileKind[] = [
  { type: 'image/png', extensions: ['png'], isImage: true },
  { type: 'image/jpeg', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'], isImage: true },
  { type: 'image/gif', extensions: ['gif'], isImage: true },
  { type: 'image/webp', extensions: ['webp'], isImage: true },
  { type: 'application/pdf', extensions: ['pdf'] },
  PLAIN_TEXT,
];

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/**
 * What an admin can add. Nothing that a browser or an operating system runs: no SVG, HTML, XML, scripts, archives,
 * executables or documents with macros.
 */
const ADDABLE_KINDS: readonly FileKind[] = [
  { type: `${OFFICE}.wordprocessingml.document`, extensions: ['docx'] },
  { type: `${OFFICE}.spreadsheetml.sheet`, extensions: ['xlsx'] },
  { type: `${OFFICE}.presentationml.presentation`, extensions: ['pptx'] },
  { type: `${OPEN_DOCUMENT}.text`, extensions: ['odt'] },
  { type: `${OPEN_DOCUMENT}.spreadsheet`, extensions: ['ods'] },
  { type: `${OPEN_DOCUMENT}.presentation`, extensions: ['odp'] },
  { type: 'image/heic', extensions: ['heic'] },
  { type: 'image/avif', extensions: ['avif'] },
  { type: 'audio/mpeg', extensions: ['mp3'] },
  { type: 'audio/ogg', extensions: ['ogg', 'oga'] },
  { type: 'audio/wav', extensions: ['wav'] },
  { type: 'video/mp4', extensions: ['mp4', 'm4v'] },
  { type: 'video/webm', extensions: ['webm'] },
  { type: 'video/quicktime', extensions: ['mov'] },
];

const ADDABLE_TYPES = ADDABLE_KINDS.map(({ type }) => type);
const KINDS_RULE = `must be a list of media types, each once, from: ${ADDABLE_TYPES.join(', ')}`;

/** The setting of an account. */
export const attachmentKinds = z
  .array(z.enum(ADDABLE_TYPES as [string, ...string[]], { error: KINDS_RULE }), { error: KINDS_RULE })
  .max(ADDABLE_TYPES.length, { error: KINDS_RULE })
  .refine((types) => new Set(types).size === types.length, { error: KINDS_RULE })
  .meta({
    description:
      'Media types that visitors and operators can send besides PNG, JPEG, GIF, WebP, PDF and plain text. Office documents, audio and video can be added; markup, scripts and programs never.',
  });

export function listAllowedKinds(addedTypes: readonly string[]): readonly FileKind[] {
  return [...USUAL_KINDS, ...ADDABLE_KINDS.filter(({ type }) => addedTypes.includes(type))];
}

const KINDS = [...USUAL_KINDS, ...ADDABLE_KINDS];

export function findKind(type: string): FileKind | undefined {
  return KINDS.find((kind) => kind.type === type);
}

/** Every extension that belongs to a kind, with that kind. */
export function findKindByExtension(extension: string): FileKind | undefined {
  return KINDS.find(({ extensions }) => extensions.includes(extension.toLowerCase()));
}
