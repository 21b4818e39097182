export type NotificationAccess =
  /** The browser has none, or not for this page: they need https. */
  | 'missing'
  /** The person has not been asked. */
  | 'unasked'
  | 'allowed'
  | 'blocked';

/** `api` is `globalThis.Notification`. */
export function readNotificationAccess(
  api: { readonly permission: string } | undefined,
  isSecure: boolean,
): NotificationAccess {
  if (api === undefined || !isSecure) return 'missing';
  if (api.permission === 'granted') return 'allowed';
  return api.permission === 'denied' ? 'blocked' : 'unasked';
}
