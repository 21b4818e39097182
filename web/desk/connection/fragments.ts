import { graphql } from '../../shared/api/query.ts';

/** What the desk knows of each thing, whichever query, mutation or event tells it: the types of `state/model.ts`. */

export const MESSAGE = graphql(`
  fragment DeskMessage on Message {
    sequence clientId author text at
    operator { id pseudo }
    notice { code parameters { name value } }
    attachments { id name size kind isImage width height url expiresAt }
  }
`);

export const NOTE = graphql(`
  fragment DeskNote on Note { id clientId afterSequence text at operator { id pseudo } }
`);

/** Without its messages and notes. */
export const CONVERSATION_FIELDS = graphql(`
  fragment DeskConversationFields on Conversation {
    id channel state language createdAt offerUntil acceptedAt closedAt closedBy closeReason
    visitorPresent visitorLeftAt messageCount unreadCount readByVisitorUpTo readByOperatorUpTo
    website { id label }
    skill { id name }
    group { id name }
    operator { id pseudo }
    closedByOperator { id pseudo }
    visitor { id firstname lastname email }
    tags { id name }
    satisfaction { noteWelcome noteResolution noteDelay comment }
    escalatedFrom { id }
  }
`);

export const ACCOUNT = graphql(`
  fragment DeskAccount on Account {
    autoAccept offerSeconds operatorsMayTake shareVisitorHistory waitingWarningSeconds pauseReasons
    attachmentKinds attachmentMaxBytes
  }
`);

export const PREFERENCES = graphql(`
  fragment DeskPreferences on OperatorPreferences {
    theme sound notifications singleKeyShortcuts density enterSends
  }
`);

const CHANNEL_LIVE = graphql(`
  fragment DeskChannelLive on ChannelLive {
    enabled available busy routable slotNumber slotMaxNumber blockedBy
    changedBy { type id name } changedAt changedReason
  }
`);

/** What an event tells of the viewer as well. */
export const OPERATOR_FIELDS = graphql(
  `
  fragment DeskOperatorFields on Operator {
    id pseudo languageAdmin chatAndCall
    live {
      connected
      chat { ...DeskChannelLive }
      call { ...DeskChannelLive }
      video { ...DeskChannelLive }
      pauseReason
      takenOffline { by { type id name } at reason }
    }
    preferences { ...DeskPreferences }
  }
`,
  [CHANNEL_LIVE, PREFERENCES],
);
