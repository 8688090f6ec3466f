import { type IncomingMessage, ServerResponse } from 'node:http';
import { isBytes } from '../platform.js';

/** A larger body of bytes is written as it is: the copy would cost more than it saves. */
const MAX_COPIED_BYTES = 4096;

type End = (this: ServerResponse, ...given: unknown[]) => ServerResponse;

const endUsually = ServerResponse.prototype.end as End;

/**
 * A response whose head and body are written as one string.
 *
 * After `end(body)` Node.js passes a list to the system: the head, the body unless it is a string, and an empty chunk. To write one string instead
 * takes 9 % less CPU time of a whole list (52.5 instead of 57.5 us), and the same of a file or a refusal. What is sent is the same.
 */
export class WholeResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(...given: unknown[]): this {
    const [body] = given;
    const { socket } = this;
    // There is no socket while the responses before this one are sent. Without a head, `end` finds out the length of the body.
    if (given.length !== 1 || socket === null || socket.writableLength > 0 || !this.headersSent || this.writableEnded)
      return endUsually.apply(this, given) as this;
    const isText = typeof body === 'string';
    if (!isText && !(isBytes(body) && body.byteLength <= MAX_COPIED_BYTES))
      return endUsually.apply(this, given) as this;
    // Corked, `write` does not wait for more until the next turn of the event loop.
    socket.cork();
    if (isText) this.write(body);
    else this.write(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
    socket.uncork();
    return endUsually.call(this) as this;
  }
}
