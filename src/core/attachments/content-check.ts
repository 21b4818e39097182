import { fileTypeFromBuffer } from 'file-type';
import { DomainError } from '../kernel/errors.ts';
import { type FileKind, findKind, findKindByExtension, PLAIN_TEXT } from '../kernel/file-kinds.ts';
import { readExtension } from './file-name.ts';
import { type ImageSize, JpegSizeScanner, readHeaderSize } from './image-size.ts';
import { TextCheck } from './text-check.ts';

/** A picture with more needs hundreds of megabytes to be shown, however small its file is. */
const MAX_PIXELS = 50_000_000;

export interface ClaimedFile {
  readonly name: string | undefined;
  readonly type: string | undefined;
}

/** The content of a file is of a kind that is not allowed, or not what the file claims to be. */
export class RefusedFile extends DomainError {
  constructor(message: string) {
    super('invalid', message);
    this.name = 'RefusedFile';
  }
}

/** Finds the kind of a file by its first bytes, and checks the rest while it arrives. Keeps no bytes. */
export class ContentCheck {
  readonly kind: FileKind;
  readonly #text: TextCheck | undefined;
  readonly #jpeg: JpegSizeScanner | undefined;
  #size: ImageSize | undefined;

  private constructor(kind: FileKind) {
    this.kind = kind;
    this.#text = kind === PLAIN_TEXT ? new TextCheck() : undefined;
    this.#jpeg = kind.type === 'image/jpeg' ? new JpegSizeScanner() : undefined;
  }

  /** `head`: the first chunk. Throws if its kind is not one of `allowed`, or not the one that its name claims. */
  static async start(head: Buffer, claimed: ClaimedFile, allowed: readonly FileKind[]): Promise<ContentCheck> {
    const found = toKindType((await fileTypeFromBuffer(head))?.mime);
    const kind = found === undefined ? PLAIN_TEXT : allowed.find(({ type }) => type === found);
    if (!kind) throw refusedKind(allowed);
    const check = new ContentCheck(kind);
    check.#size = readHeaderSize(kind.type, head);
    // A picture with the extension of another picture is common; any other contradiction is a lie.
    const claims = findClaimedKind(claimed);
    const isOtherKind = claims !== undefined && claims !== kind && !(claims.isImage && kind.isImage);
    if (isOtherKind) throw new RefusedFile(`The file claims to be ${claims.type}, but its content is not.`);
    if (kind.isImage && !check.#jpeg && !check.#size) throw new RefusedFile('The picture is damaged.');
    check.#requireSmallPicture();
    return check;
  }

  add(chunk: Buffer, allowed: readonly FileKind[]): void {
    if (this.#text && !this.#text.accepts(chunk)) throw refusedKind(allowed);
    if (!this.#jpeg) return;
    this.#jpeg.add(chunk);
    this.#size = this.#jpeg.size;
    this.#requireSmallPicture();
  }

  /** Call after the last chunk. Returns the size of a picture. */
  finish(allowed: readonly FileKind[]): ImageSize | undefined {
    if (this.#text && !this.#text.accepts(Buffer.alloc(0), true)) throw refusedKind(allowed);
    if (this.kind.isImage && !this.#size) throw new RefusedFile('The picture is damaged.');
    return this.#size;
  }

  #requireSmallPicture(): void {
    if (!this.#size) return;
    const { width, height } = this.#size;
    if (width === 0 || height === 0) throw new RefusedFile('The picture is damaged.');
    if (width * height > MAX_PIXELS)
      throw new RefusedFile(`The picture has ${width} × ${height} pixels: at most ${MAX_PIXELS / 1e6} million.`);
  }
}

/** Animated PNG is shown like PNG. */
function toKindType(mime: string | undefined): string | undefined {
  return mime === 'image/apng' ? 'image/png' : mime;
}

/** What the extension or the declared media type says, if it is a kind that is known. */
function findClaimedKind({ name, type = '' }: ClaimedFile): FileKind | undefined {
  return findKindByExtension(readExtension(name)) ?? findKind(type.toLowerCase().split(';')[0]?.trim() ?? '');
}

function refusedKind(allowed: readonly FileKind[]): RefusedFile {
  const names = allowed.map(({ extensions: [first] }) => first).join(', ');
  return new RefusedFile(`Files of this kind are not accepted. These are, by their content: ${names}.`);
}
