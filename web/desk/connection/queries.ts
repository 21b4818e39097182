import { graphql } from '../../shared/api/query.ts';

/** `viewer.live` is the same in `EVENTS`. */
export const START = graphql(`
  query DeskStart {
    eventPosition
    viewer {
      id pseudo name firstName roles chatToVideo
      live {
        connected
        chat { enabled available busy routable slotNumber slotMaxNumber blockedBy }
        call { enabled available busy routable slotNumber slotMaxNumber blockedBy }
        video { enabled available busy routable slotNumber slotMaxNumber blockedBy }
        pauseReason
        takenOffline { by { type id name } at reason }
      }
      preferences { theme sound notifications singleKeyShortcuts density enterSends }
    }
    account {
      autoAccept offerSeconds operatorsMayTake shareVisitorHistory waitingWarningSeconds pauseReasons
      attachmentKinds attachmentMaxBytes
    }
  }
`);

/** Experts may not read it. */
export const MESSAGES_LEFT = graphql(`
  query MessagesLeftOpen { messagesLeft(first: 1, filter: { done: false }) { totalCount } }
`);

/** The fields of a conversation are those of `EVENTS`. */
export const CONVERSATIONS = graphql(`
  query DeskConversations($filter: ConversationFilter!, $first: Int!, $after: String, $last: Int!) {
    eventPosition
    conversations(filter: $filter, first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes {
        id channel state language createdAt offerUntil acceptedAt closedAt closedBy closeReason
        visitorPresent visitorLeftAt messageCount unreadCount readByVisitorUpTo readByOperatorUpTo
        website { id label }
        skill { id name }
        group { id name }
        operator { id pseudo }
        visitor { id firstname lastname email }
        tags { id name }
        satisfaction { noteWelcome noteResolution noteDelay comment }
        escalatedFrom { id }
        messages(last: $last) {
          sequence clientId author text at
          operator { id pseudo }
          notice { code parameters { name value } }
          attachments { id name size kind isImage width height url expiresAt }
        }
        notes(last: $last) { id clientId afterSequence text at operator { id pseudo } }
      }
    }
  }
`);

/** The same fields. */
export const CONVERSATION = graphql(`
  query DeskConversation($id: ID!, $last: Int!) {
    eventPosition
    conversation(id: $id) {
      id channel state language createdAt offerUntil acceptedAt closedAt closedBy closeReason
      visitorPresent visitorLeftAt messageCount unreadCount readByVisitorUpTo readByOperatorUpTo
      website { id label }
      skill { id name }
      group { id name }
      operator { id pseudo }
      visitor { id firstname lastname email }
      tags { id name }
      satisfaction { noteWelcome noteResolution noteDelay comment }
      escalatedFrom { id }
      messages(last: $last) {
        sequence clientId author text at
        operator { id pseudo }
        notice { code parameters { name value } }
        attachments { id name size kind isImage width height url expiresAt }
      }
      notes(last: $last) { id clientId afterSequence text at operator { id pseudo } }
    }
  }
`);

export const MESSAGES = graphql(`
  query DeskMessages($id: ID!, $after: Int!, $first: Int!) {
    conversation(id: $id) {
      messages(after: $after, first: $first) {
        sequence clientId author text at
        operator { id pseudo }
        notice { code parameters { name value } }
        attachments { id name size kind isImage width height url expiresAt }
      }
    }
  }
`);

export const EVENTS = graphql(`
  subscription DeskEvents($after: ID!) {
    deskEvents(after: $after) {
      position type at reason conversationId visitorId
      conversation {
        id channel state language createdAt offerUntil acceptedAt closedAt closedBy closeReason
        visitorPresent visitorLeftAt messageCount unreadCount readByVisitorUpTo readByOperatorUpTo
        website { id label }
        skill { id name }
        group { id name }
        operator { id pseudo }
        visitor { id firstname lastname email }
        tags { id name }
        satisfaction { noteWelcome noteResolution noteDelay comment }
        escalatedFrom { id }
      }
      message {
        sequence clientId author text at
        operator { id pseudo }
        notice { code parameters { name value } }
        attachments { id name size kind isImage width height url expiresAt }
      }
      note { id clientId afterSequence text at operator { id pseudo } }
      operator {
        id pseudo
        live {
          connected
          chat { enabled available busy routable slotNumber slotMaxNumber blockedBy }
          call { enabled available busy routable slotNumber slotMaxNumber blockedBy }
          video { enabled available busy routable slotNumber slotMaxNumber blockedBy }
          pauseReason
          takenOffline { by { type id name } at reason }
        }
        preferences { theme sound notifications singleKeyShortcuts density enterSends }
      }
    }
  }
`);

export const SIGNALS = graphql(`
  subscription DeskSignals { signals { kind conversationId author upTo at } }
`);

/** Experts get an empty list, as operators do whose account does not let them take. */
export const QUEUE = graphql(`
  subscription DeskQueue {
    queue {
      totalCount
      conversations {
        id channel createdAt language
        website { id label }
        skill { id name }
        visitor { id firstname lastname email }
      }
    }
  }
`);
