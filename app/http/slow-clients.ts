import type { Server } from 'node:http'
import type { Answers } from './graceful-shutdown.ts'

/**
 * Cuts connections on which nothing moves for so many milliseconds while an answer is due: its client does not read it.
 * Node's own limit would be a timer for every request, set anew with all that is read and written; here only those that
 * are still there when somebody looks get one.
 */
export function cutStalled(server: Server, answers: Answers, limit: number): void {
  const look = () => {
    for (const [socket, answer] of answers)
      if (answer && !answer.writableFinished && !socket.timeout) socket.setTimeout(limit)
  }
  const looking = setInterval(look, limit / 8).unref()
  server.once('close', () => clearInterval(looking))
}
