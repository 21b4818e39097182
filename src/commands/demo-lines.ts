import type { RunningDemo } from '../demo/start-demo.ts';

/** What to do with the demo: enough for a person who has never seen Switchboard. Printed last, so that it stays in view. */
export function formatDemo(url: string, { shopUrl, portInUse, deskLogin }: RunningDemo): string {
  return `
Try it: you are the operator of a pretend shop, and also its visitor.

  1. Open the desk    ${url}/desk
     Email            ${deskLogin.email}
     Password         ${deskLogin.password}

  2. Open the shop    ${shopUrl}   in another window
     Click the button at the bottom right, start a chat, and say hello.

  3. It rings in the desk: click "Accept" within 30 seconds, and answer.

While the desk is closed, played people answer in the shop.${describePort(portInUse)}
`;
}

function describePort(portInUse: number | undefined): string {
  return portInUse === undefined
    ? ''
    : `\nThe usual port of the shop, ${portInUse}, is in use by another program: it has another one this time.`;
}
