/** The file with everything that opens on a click. */
export { CloseDialog } from '../conversation/closing/CloseDialog.tsx';
export { EmojiPicker } from '../conversation/emoji/EmojiPicker.tsx';
export { HeadPopover } from '../conversation/head/HeadPopover.tsx';
export { TransferDialog } from '../conversation/transfer/TransferDialog.tsx';
export { AccountPopover } from '../frame/AccountPopover.tsx';
export { PhoneDialog } from '../frame/PhoneDialog.tsx';
export { PresencePopover } from '../frame/presence/PresencePopover.tsx';
export { MessagesLeftView } from '../messages-left/MessagesLeftView.tsx';
export { SettingsView } from '../settings/SettingsView.tsx';
