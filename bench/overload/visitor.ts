/** Settings with which a visitor can start many conversations at once. */
export const NO_VISITOR_LIMITS = {
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_SOCKETS: '0',
  SWITCHBOARD_VISITOR_ADDRESS_SOCKETS: '0',
};

const CONVERSATION_COUNT = 20;
const MESSAGE_COUNT = 10;

/** Returns the token of a new visitor, who has conversations with messages. */
export async function openVisitorSession(url: string): Promise<string> {
  const { token } = (await postJson(`${url}/visitor/session`, { websiteId: 1 })) as { token: string };
  const run = (query: string) => postJson(`${url}/visitor/graphql`, { query }, token);
  for (let n = 0; n < CONVERSATION_COUNT; n += 1) {
    const started = (await run('mutation{conversationStart(input:{channel:CHAT}){conversation{id}}}')) as {
      data: { conversationStart: { conversation: { id: string } } };
    };
    const { id } = started.data.conversationStart.conversation;
    const input = `{conversationId:${id},text:"Where is my order?"}`;
    const sends = Array.from(
      { length: MESSAGE_COUNT },
      (_, m) => `m${m}:messageSend(input:${input}){userErrors{message}}`,
    );
    await run(`mutation{${sends.join(' ')} conversationClose(input:{id:${id}}){userErrors{message}}}`);
  }
  return token;
}

async function postJson(url: string, body: object, token?: string): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"errors"')) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
