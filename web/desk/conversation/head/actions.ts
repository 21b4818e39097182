/** What can be done with a conversation. */
export interface HeadActions {
  onTransfer(): void;
  onNote(): void;
  onClose(): void;
}
