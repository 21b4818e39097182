import { graphql } from '../../shared/api/query.ts';
import { MESSAGE, NOTE, PREFERENCES } from './fragments.ts';

export const ACCEPT = graphql(`
  mutation AcceptOffer($input: OfferAcceptInput!) {
    offerAccept(input: $input) { userErrors { field code reason message } }
  }
`);

export const DECLINE = graphql(`
  mutation DeclineOffer($input: OfferDeclineInput!) {
    offerDecline(input: $input) { userErrors { field code reason message } }
  }
`);

export const TAKE = graphql(`
  mutation TakeConversation($input: ConversationTakeInput!) {
    conversationTake(input: $input) { userErrors { field code reason message } }
  }
`);

export const SEND = graphql(
  `
  mutation SendMessage($input: MessageSendInput!) {
    messageSend(input: $input) {
      message { ...DeskMessage }
      userErrors { field code reason message }
    }
  }
`,
  [MESSAGE],
);

export const ADD_NOTE = graphql(
  `
  mutation AddNote($input: NoteAddInput!) {
    noteAdd(input: $input) {
      note { ...DeskNote }
      userErrors { field code reason message }
    }
  }
`,
  [NOTE],
);

export const TYPE = graphql(`
  mutation Type($input: TypingInput!) {
    typing(input: $input) { userErrors { field code reason message } }
  }
`);

export const MARK_READ = graphql(`
  mutation MarkRead($input: ConversationReadInput!) {
    conversationRead(input: $input) { userErrors { field code reason message } }
  }
`);

export const TRANSFER = graphql(`
  mutation TransferConversation($input: ConversationTransferInput!) {
    conversationTransfer(input: $input) { userErrors { field code reason message } }
  }
`);

export const SET_TAGS = graphql(`
  mutation SetTags($input: ConversationTagInput!) {
    conversationTag(input: $input) { userErrors { field code reason message } }
  }
`);

export const CLOSE = graphql(`
  mutation CloseConversation($input: ConversationCloseInput!) {
    conversationClose(input: $input) { userErrors { field code reason message } }
  }
`);

export function createCloseVariables(id: string, closingLine: string) {
  return { input: { id, ...(closingLine !== '' && { text: closingLine }) } };
}

export const SET_AVAILABILITY = graphql(`
  mutation SetAvailability($input: OperatorAvailabilityUpdateInput!) {
    operatorAvailabilityUpdate(input: $input) { userErrors { field code reason message } }
  }
`);

export const CONNECT = graphql(`
  mutation Connect($input: OperatorConnectInput!) {
    operatorConnect(input: $input) { userErrors { field code reason message } }
  }
`);

export const SET_PREFERENCES = graphql(
  `
  mutation SetPreferences($input: PreferencesUpdateInput!) {
    preferencesUpdate(input: $input) {
      preferences { ...DeskPreferences }
      userErrors { field code reason message }
    }
  }
`,
  [PREFERENCES],
);
