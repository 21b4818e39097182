/** The largest part of a file that is held in memory and stored in one transaction. */
export const CHUNK_BYTES = 256 * 1024;

/** Cuts a stream into chunks of equal length, except the last one. Reads on only when the last chunk is dealt with. */
export async function* toChunks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < CHUNK_BYTES) continue;
    let joined = Buffer.concat(waiting, length);
    while (joined.length >= CHUNK_BYTES) {
      yield joined.subarray(0, CHUNK_BYTES);
      joined = joined.subarray(CHUNK_BYTES);
    }
    waiting = joined.length > 0 ? [Buffer.from(joined)] : [];
    length = joined.length;
  }
  if (length > 0) yield Buffer.concat(waiting, length);
}
