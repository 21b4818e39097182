const USUAL = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];
/** Kinds that the service finds in the bytes. Of all others it may still find that they are plain text. */
const RECOGNISED =
  /^(image|audio|video|font)\/|^application\/(vnd\.|msword|zip|x-zip|x-rar|x-7z|x-msdownload|java-archive)/;

/** False if the service refuses such a file for certain. `added` are the media types that the account has added. */
export function isAllowedKind({ type }: Pick<File, 'type'>, added: readonly string[]): boolean {
  return USUAL.includes(type) || added.includes(type) || !RECOGNISED.test(type);
}
