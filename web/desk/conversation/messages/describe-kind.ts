const MAX_LENGTH = 5;

/** `TXT` for `order.txt`: the service gives each name an extension that fits its kind. */
export function describeKind(name: string, kind: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const hasExtension = extension.length < name.length && extension.length > 0 && extension.length <= MAX_LENGTH;
  return hasExtension ? extension.toUpperCase() : kind;
}
