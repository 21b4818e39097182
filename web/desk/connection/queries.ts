import { graphql } from '../../shared/api/query.ts';
import { ACCOUNT, CONVERSATION_FIELDS, MESSAGE, NOTE, OPERATOR_FIELDS } from './fragments.ts';

export const START = graphql(
  `
  query DeskStart {
    eventPosition
    viewer { name firstName roles chatToVideo ...DeskOperatorFields }
    account { ...DeskAccount }
  }
`,
  [ACCOUNT, OPERATOR_FIELDS],
);

export const READ_ACCOUNT = graphql(
  `
  query DeskAccountRead { account { ...DeskAccount } }
`,
  [ACCOUNT],
);

/** Experts may not read it. */
export const MESSAGES_LEFT = graphql(`
  query MessagesLeftOpen { messagesLeft(first: 1, filter: { done: false }) { totalCount } }
`);

export const CONVERSATIONS = graphql(
  `
  query DeskConversations($filter: ConversationFilter!, $first: Int!, $after: String, $last: Int!) {
    eventPosition
    conversations(filter: $filter, first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes {
        ...DeskConversationFields
        messages(last: $last) { ...DeskMessage }
        notes(last: $last) { ...DeskNote }
      }
    }
  }
`,
  [CONVERSATION_FIELDS, MESSAGE, NOTE],
);

export const CONVERSATION = graphql(
  `
  query DeskConversation($id: ID!, $last: Int!) {
    eventPosition
    conversation(id: $id) {
      ...DeskConversationFields
      messages(last: $last) { ...DeskMessage }
      notes(last: $last) { ...DeskNote }
    }
  }
`,
  [CONVERSATION_FIELDS, MESSAGE, NOTE],
);

export const MESSAGES = graphql(
  `
  query DeskMessages($id: ID!, $after: Int!, $first: Int!) {
    conversation(id: $id) {
      messages(after: $after, first: $first) { ...DeskMessage }
    }
  }
`,
  [MESSAGE],
);

export const EVENTS = graphql(
  `
  subscription DeskEvents($after: ID!) {
    deskEvents(after: $after) {
      position type at reason conversationId visitorId
      conversation { ...DeskConversationFields }
      message { ...DeskMessage }
      note { ...DeskNote }
      operator { ...DeskOperatorFields }
    }
  }
`,
  [CONVERSATION_FIELDS, MESSAGE, NOTE, OPERATOR_FIELDS],
);

export const SIGNALS = graphql(`
  subscription DeskSignals { signals { kind conversationId author upTo at } }
`);

/** Experts get an empty list, as operators do whose account does not let them take. */
export const QUEUE = graphql(`
  subscription DeskQueue {
    queue {
      totalCount
      conversations {
        id channel createdAt language visitorPresent
        website { id label }
        skill { id name }
        visitor { id firstname lastname email }
      }
    }
  }
`);
