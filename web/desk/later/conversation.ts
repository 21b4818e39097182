/** The file that is loaded for the first conversation, at once if the address names one. */
export { ConversationView } from '../conversation/ConversationView.tsx';
export { VisitorPanel } from '../visitor-panel/VisitorPanel.tsx';
