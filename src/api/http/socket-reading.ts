import type { Socket } from 'node:net';

/** Stops reading from a connection of the server. Can be nested: each call needs its `continueReading`. */
export function stopReading(socket: Socket): void {
  socket.pause();
  socket.on('resume', keepPaused); // Node resumes when it has sent a response
}

export function continueReading(socket: Socket): void {
  socket.off('resume', keepPaused);
  socket.resume();
}

function keepPaused(this: Socket): void {
  this.pause();
}
