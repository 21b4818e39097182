const MESSAGE =
  'sequence at author text clientId operator{pseudo} attachments{id name size isImage width height url expiresAt}';

const CONVERSATION =
  'id state queuePosition estimatedWaitSeconds acceptedAt closeReason closedBy operator{pseudo} readByOperatorUpTo readByVisitorUpTo satisfaction{at}';

const ERRORS = 'userErrors{code reason}';

/** Every operation of the panel; a test checks them against the schema. */
export const READ = `query($id:ID!,$after:Int!){eventPosition conversation(id:$id){${CONVERSATION} messages(after:$after){${MESSAGE}}}}`;
export const START = `mutation($input:ConversationStartInput!){conversationStart(input:$input){conversation{${CONVERSATION} messages{${MESSAGE}}} ${ERRORS}}}`;
export const SEND = `mutation($input:MessageSendInput!){messageSend(input:$input){message{${MESSAGE}} ${ERRORS}}}`;
export const MARK_READ = `mutation($input:ConversationReadInput!){conversationRead(input:$input){${ERRORS}}}`;
export const TYPING = `mutation($input:TypingInput!){typing(input:$input){${ERRORS}}}`;
export const CLOSE = `mutation($input:ConversationCloseInput!){conversationClose(input:$input){${ERRORS}}}`;
export const RATE = `mutation($input:SatisfactionAnswerInput!){satisfactionAnswer(input:$input){${ERRORS}}}`;
export const LEAVE = `mutation($input:MessageLeaveInput!){messageLeave(input:$input){${ERRORS}}}`;
export const SET_CONTEXT = `mutation($input:VisitorContextInput!){visitorContext(input:$input){${ERRORS}}}`;
export const SET_VISITOR = `mutation($input:VisitorUpdateInput!){visitorUpdate(input:$input){${ERRORS}}}`;
export const IDENTIFY = `mutation($input:VisitorIdentifyInput!){visitorIdentify(input:$input){${ERRORS}}}`;
export const EVENTS = `subscription($id:ID!,$after:ID){conversationEvents(id:$id,after:$after){position type message{${MESSAGE}} conversation{${CONVERSATION}}}}`;
export const SIGNALS = 'subscription($id:ID!){signals(conversationId:$id){kind author operator{pseudo} upTo}}';
