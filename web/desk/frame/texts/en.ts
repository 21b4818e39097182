export const en = {
  desk: 'Desk',
  conversations: 'Conversations',
  conversation: 'Conversation',
  visitor: 'Visitor',
  messagesLeft: 'Messages left',
  settings: 'Settings',
} as const;
