export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** PNG, GIF and WebP say their size in the first bytes. Undefined if the bytes are not such an image. */
export function readHeaderSize(type: string, head: Buffer): ImageSize | undefined {
  if (head.length < MIN_HEADER_BYTES) return undefined;
  if (type === 'image/png' && head.toString('latin1', 12, 16) === 'IHDR')
    return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (type === 'image/gif') return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  if (type === 'image/webp') return readWebpSize(head);
  return undefined;
}

const MIN_HEADER_BYTES = 30;

function readWebpSize(head: Buffer): ImageSize | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Markers without a segment: restarts, start of image, and the filler. */
const hasNoSegment = (marker: number) => (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01 || marker === 0xff;
/** Start of frame, except the codes for tables and extensions. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const FRAME_BYTES = 7;

/**
 * Finds the size in a JPEG, which may come after hundreds of kilobytes of other segments: walks from segment to segment
 * while the file arrives, and keeps only the few bytes of an unfinished header.
 */
export class JpegSizeScanner {
  size: ImageSize | undefined;
  /** Bytes of the current segment that are still to come. */
  #skip = 2;
  #rest = Buffer.alloc(0);
  #hasEnded = false;

  add(bytes: Buffer): void {
    if (this.#hasEnded) return;
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    let at = this.#skip;
    while (!this.#hasEnded && at + 4 + FRAME_BYTES <= data.length) at += this.#readSegment(data, at);
    this.#skip = Math.max(0, at - data.length);
    this.#rest = this.#hasEnded ? Buffer.alloc(0) : Buffer.from(data.subarray(Math.min(at, data.length)));
  }

  /** Returns the length of the segment. */
  #readSegment(data: Buffer, at: number): number {
    const marker = data[at + 1] as number;
    if (hasNoSegment(marker)) return marker === 0xff ? 1 : 2;
    if (data[at] === 0xff && isFrame(marker))
      this.size = { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
    // Without a marker the file is damaged; the picture itself has no size.
    const isOver = data[at] !== 0xff || marker === 0xda || marker === 0xd9;
    this.#hasEnded = isOver || this.size !== undefined;
    return 2 + data.readUInt16BE(at + 2);
  }
}
